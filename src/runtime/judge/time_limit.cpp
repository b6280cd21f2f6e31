#include "runtime/judge/time_limit.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/own_thread.h"
#include "exec/crash/symbols.h"
#include "runtime/crew/main_strands.h"
#include "runtime/job_board/abort.h"
#include "runtime/job_board/job_board.h"
#include "runtime/judge/places.h"

namespace heddle::runtime {

namespace {

// Constant once the thread runs.
int limit_s = 0;
auto& ranks = *new std::vector<int>;

std::string lines_of_ranks() {
  std::vector<bool> ended(ranks.size());
  const auto with_ults = [&ended](const auto& use) {
    with_main_strands([&](const std::vector<ult::Ult*>& ults) {
      for (std::size_t i = 0; i < ults.size(); ++i) ended[i] = ults[i] == nullptr;
      use(ults);
    });
  };
  const Places places = insist_on_places(ranks.size(), with_ults);
  std::vector<std::uintptr_t> addresses;
  for (const Calls& calls : places.calls) {
    addresses.insert(addresses.end(), calls.places.begin(), calls.places.begin() + calls.count);
  }
  const crash::Symbols symbols(addresses.data(), static_cast<int>(addresses.size()));
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += "\n  rank " + std::to_string(ranks[i]) + " ";
    if (ended[i]) {
      text += "has ended";
    } else if (places.words[i].empty()) {
      text += "does not answer: it waits outside of MPI, or for its turn";
    } else {
      text += places.words[i];
      if (places.calls[i].count != 0) text += place_of(places.calls[i], symbols);
    }
  }
  return text;
}

void* wait_and_tell(void*) {
  const std::int64_t end_ns = platform::now_ns() + limit_s * std::int64_t{1'000'000'000};
  const timespec end = {.tv_sec = end_ns / 1'000'000'000, .tv_nsec = end_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) {
  }
  const std::string lines = lines_of_ranks();
  if (const JobBoard& board = job_board(); board.is_shared()) {
    board.page().put_lines(board.process(), lines);
    return nullptr;  // mpiexec ends the job
  }
  abort_job(kTimeOutStatus, "the job has not ended after " + std::to_string(limit_s) +
                                " seconds (--timeout, MPIEXEC_TIMEOUT):" + lines);
}

}  // namespace

void limit_time(int seconds, const std::vector<int>& numbers) {
  limit_s = seconds;
  ranks = numbers;
  const platform::OwnThread thread{"heddle-time", wait_and_tell, nullptr};
  if (platform::start_detached_own_thread(thread) == 0) platform::count_own_thread(1);
}

}  // namespace heddle::runtime
