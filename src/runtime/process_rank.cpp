#include "runtime/process_rank.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace heddle::runtime {

namespace {

// This process's part; never unmapped, since the end of the process may still tell its phase.
JobPage* page = nullptr;
Card* card = nullptr;
int own_number = 0;

Error lost_descriptor(int descriptor) {
  return Error::make(kErrorOther,
                     "descriptor %d, which mpiexec gave to this process, is no longer what it was; "
                     "the program must not close it before MPI_Init",
                     descriptor);
}

JobPage* map_page(int descriptor, int number) noexcept {
  JobPage head;
  if (pread(descriptor, &head, sizeof head, 0) != sizeof head) return nullptr;
  if (head.kind != JobPage::kKind || number < 0 || number >= head.processes) return nullptr;
  void* const memory = mmap(nullptr, JobPage::bytes(head.processes, head.figures),
                            PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory != MAP_FAILED ? static_cast<JobPage*>(memory) : nullptr;
}

bool is_running(pid_t process) noexcept {
  return kill(process, 0) == 0 || errno != ESRCH;
}

}  // namespace

int processes_of_job() noexcept {
  const char* const text = getenv(kProcessVariable);
  int page_file = -1;
  if (text == nullptr || std::sscanf(text, "%*d:%d", &page_file) != 1) return 1;
  JobPage head;
  if (pread(page_file, &head, sizeof head, 0) != sizeof head || head.kind != JobPage::kKind)
    return 1;
  return head.processes;
}

Error find_process_rank(ProcessRank* found) {
  const char* const text = getenv(kProcessVariable);
  if (text == nullptr) return {};
  int number = 0;
  int page_file = -1;
  int memory = -1;
  if (std::sscanf(text, "%d:%d:%d", &number, &page_file, &memory) != 3) {
    return Error::make(kErrorOther, "%s=%s is nothing that mpiexec sets", kProcessVariable, text);
  }
  JobPage* const mapped = map_page(page_file, number);
  if (mapped == nullptr) return lost_descriptor(page_file);
  Card& own = mapped->card(number);
  std::int32_t none = 0;
  if (!own.process.compare_exchange_strong(none, getpid(), std::memory_order_relaxed)) {
    const std::size_t bytes = JobPage::bytes(mapped->processes, mapped->figures);
    munmap(mapped, bytes);
    if (none != getpid() && is_running(none)) return {};  // a child of the rank is a job of one
    return Error::make(kErrorOther,
                       "rank %d has called MPI_Init in process %d already, which has ended; a rank "
                       "is one process",
                       number, none);
  }
  page = mapped;
  card = &own;
  own_number = number;
  close(page_file);
  unsetenv(kProcessVariable);  // what this process starts is no rank
  *found = {number, mapped->processes, memory};
  return {};
}

namespace {
// A child of a fork is not the process.
bool has_card() noexcept {
  return card != nullptr && card->process.load(std::memory_order_relaxed) == getpid();
}
}  // namespace

void tell_phase(ProcessPhase phase) noexcept {
  if (!has_card()) return;
  ProcessPhase before = card->phase.load(std::memory_order_relaxed);
  // seq_cst: with ended_outside and left_early.
  while (before < phase &&
         !card->phase.compare_exchange_weak(before, phase, std::memory_order_seq_cst,
                                            std::memory_order_relaxed)) {
  }
}

namespace {
// Ranks of this process that use MPI, by MPI_Init or a session.
std::atomic<int> in_session{0};
}  // namespace

void tell_in_session(SessionTime time) noexcept {
  ++in_session;  // seq_cst: with tell_out_of_sessions
  tell_phase(time == SessionTime::kEarly ? ProcessPhase::kInSession : ProcessPhase::kInLateSession);
}

namespace {
// Goes back from a phase of sessions to the one before it. A rank that opens one just now tells it
// after it has counted itself.
bool fall_back(ProcessPhase from, ProcessPhase to) noexcept {
  ProcessPhase before = from;
  if (!card->phase.compare_exchange_strong(before, to, std::memory_order_seq_cst)) return false;
  if (in_session > 0) tell_phase(from);
  return true;
}
}  // namespace

void tell_out_of_sessions() noexcept {
  if (--in_session > 0 || !has_card()) return;
  if (fall_back(ProcessPhase::kInSession, ProcessPhase::kOutside)) return;
  fall_back(ProcessPhase::kInLateSession, ProcessPhase::kFinal);
}

void tell_still_in_session() noexcept {
  tell_phase(ProcessPhase::kInLateSession);
  // Another thread may have closed it meanwhile; seq_cst: with tell_out_of_sessions.
  if (in_session == 0 && has_card()) fall_back(ProcessPhase::kInLateSession, ProcessPhase::kFinal);
}

int ranks_inside() noexcept {
  return in_session;
}

void tell_left_early() noexcept {
  if (has_card()) page->left_early.fetch_add(1, std::memory_order_seq_cst);  // with phases
}

int ended_outside() noexcept {
  return page != nullptr ? page->ended_outside.load(std::memory_order_seq_cst) : JobPage::kNone;
}

bool others_left_early() noexcept {
  return page != nullptr && page->left_early.load(std::memory_order_seq_cst) != 0;
}

bool others_finalize() noexcept {
  return page != nullptr && page->has(ProcessPhase::kFinalizing);
}

bool may_say_why() noexcept {
  return !has_card() || page->may_say();
}

int own_process() noexcept {
  return own_number;
}

JobPage* job_page() noexcept {
  return page;
}

std::int64_t processor_time_ns() noexcept {
  if (page != nullptr) return page->processor_time_ns();
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

}  // namespace heddle::runtime
