#include "runtime/job_board/job_page.h"

#include <time.h>

#include <algorithm>
#include <cstring>

namespace heddle::runtime {

MeaningOfEnd JobPage::note_end(ProcessPhase phase, int status) noexcept {
  using Then = MeaningOfEnd::Then;
  const bool has_session =
      phase == ProcessPhase::kInSession || phase == ProcessPhase::kInLateSession;
  const char* const without = has_session ? kSessionOpen : kUnfinalized;
  switch (phase) {
    case ProcessPhase::kAborted:
      return {Then::kWasSaid};
    case ProcessPhase::kFinal:
      return {};
    case ProcessPhase::kOutside:
      ended_outside.store(status, std::memory_order_seq_cst);
      if (!has(ProcessPhase::kRunning) && !has(ProcessPhase::kFinalizing)) return {};
      return {Then::kEndJob, kUninitialized};
    case ProcessPhase::kInLateSession:  // no rank waits in MPI_Finalize for it
      return {status == 0 ? Then::kWatchOthers : Then::kEndJob, without};
    case ProcessPhase::kInSession:
    case ProcessPhase::kRunning:
      if (status != 0) break;
      left_early.fetch_add(1, std::memory_order_seq_cst);
      return {has(ProcessPhase::kFinalizing) ? Then::kEndJob : Then::kWatchOthers, without};
    case ProcessPhase::kFinalizing:
      break;
  }
  return {Then::kEndJob, without};
}

bool JobPage::has(ProcessPhase phase) noexcept {
  for (int i = 0; i < processes; ++i) {
    if (card(i).phase.load(std::memory_order_seq_cst) == phase) return true;
  }
  return false;
}

bool JobPage::any_stays() noexcept {
  for (int i = 0; i < processes; ++i) {
    if (card(i).inside.load(std::memory_order_seq_cst) >
        card(i).left.load(std::memory_order_seq_cst))
      return true;
  }
  return false;
}

bool JobPage::wait_in_vain(Rest& rest) noexcept {
  if (!rest.after_pause(processor_time_ns())) return false;
  rest = Rest(processor_time_ns());
  return any_stays();
}

std::int64_t JobPage::processor_time_ns() noexcept {
  std::int64_t sum = 0;
  for (int i = 0; i < processes; ++i) {
    const std::int32_t process = card(i).process.load(std::memory_order_relaxed);
    clockid_t clock;
    timespec time{};
    if (process == 0 || clock_getcpuclockid(process, &clock) != 0) continue;
    if (clock_gettime(clock, &time) == 0) sum += time.tv_sec * 1'000'000'000 + time.tv_nsec;
  }
  return sum;
}

void JobPage::put_lines(int process, std::string_view lines) noexcept {
  Post& own = post(process);
  const std::size_t bytes = std::min(lines.size(), sizeof own.text);
  std::memcpy(own.text, lines.data(), bytes);
  const auto noted = static_cast<std::uint32_t>(bytes) | Post::kIsLines;
  own.bytes.store(noted, std::memory_order_release);  // with lines_of()
}

std::string_view JobPage::lines_of(int process) noexcept {
  const Post& its = post(process);
  const std::uint32_t bytes = its.bytes.load(std::memory_order_acquire);
  if ((bytes & Post::kIsLines) == 0) return {};
  return {its.text, bytes & ~Post::kIsLines};
}

}  // namespace heddle::runtime
