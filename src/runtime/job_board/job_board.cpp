#include "runtime/job_board/job_board.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace heddle::runtime {

namespace {

// Where the job has one process.
struct OwnPage {
  JobPage page{.kind = JobPage::kKind, .processes = 1};
  Card card{};
  Post post{};
};
static_assert(sizeof(OwnPage) == JobPage::bytes(1, {}));
constinit OwnPage own_page;

constinit JobBoard board_of_process(own_page.page);

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

JobBoard& job_board() noexcept {
  return board_of_process;
}

int processes_of_job() noexcept {
  const char* const text = getenv(kProcessVariable);
  int page_file = -1;
  if (text == nullptr || std::sscanf(text, "%*d:%d", &page_file) != 1) return 1;
  JobPage head;
  if (pread(page_file, &head, sizeof head, 0) != sizeof head || head.kind != JobPage::kKind)
    return 1;
  return head.processes;
}

void JobBoard::begin() noexcept {
  new (&own_page) OwnPage;
  own_page.card.process.store(getpid(), std::memory_order_relaxed);
  page_ = &own_page.page;
  process_ = 0;
  shared_ = false;
}

Error JobBoard::join(int* memory) {
  *memory = -1;
  begin();
  const char* const text = getenv(kProcessVariable);
  if (text == nullptr) return {};
  int number = 0;
  int page_file = -1;
  int found = -1;
  if (std::sscanf(text, "%d:%d:%d", &number, &page_file, &found) != 3) {
    return Error::make(kErrorOther, "%s=%s is nothing that mpiexec sets", kProcessVariable, text);
  }
  JobPage* const mapped = map_page(page_file, number);
  if (mapped == nullptr) return lost_descriptor(page_file);
  std::int32_t none = 0;
  if (!mapped->card(number).process.compare_exchange_strong(none, getpid(),
                                                            std::memory_order_relaxed)) {
    const std::size_t bytes = JobPage::bytes(mapped->processes, mapped->figures);
    munmap(mapped, bytes);
    if (none != getpid() && is_running(none)) return {};  // a child of the rank is a job of one
    return Error::make(kErrorOther,
                       "rank %d has called MPI_Init in process %d already, which has ended; a rank "
                       "is one process",
                       number, none);
  }
  page_ = mapped;
  process_ = number;
  shared_ = true;
  close(page_file);
  unsetenv(kProcessVariable);  // what this process starts is no rank
  *memory = found;
  return {};
}

bool JobBoard::is_of_process() const noexcept {
  return card().process.load(std::memory_order_relaxed) == getpid();
}

void JobBoard::tell(ProcessPhase phase) noexcept {
  if (!is_of_process()) return;
  ProcessPhase before = card().phase.load(std::memory_order_relaxed);
  // seq_cst: with ended_outside and left_early.
  while (before < phase &&
         !card().phase.compare_exchange_weak(before, phase, std::memory_order_seq_cst,
                                             std::memory_order_relaxed)) {
  }
}

int JobBoard::begin_world() noexcept {
  tell(ProcessPhase::kRunning);
  return page_->ended_outside.load(std::memory_order_seq_cst);
}

bool JobBoard::begin_finalize() noexcept {
  tell(ProcessPhase::kFinalizing);
  return page_->left_early.load(std::memory_order_seq_cst) != 0;
}

void JobBoard::end_finalize(bool has_session) noexcept {
  tell(ProcessPhase::kFinal);
  if (!has_session) return;
  tell(ProcessPhase::kInLateSession);
  // Another thread may have closed it meanwhile; seq_cst: with end_use.
  if (!any_uses()) fall_back(ProcessPhase::kInLateSession, ProcessPhase::kFinal);
}

void JobBoard::begin_use(Use use) noexcept {
  if (!is_of_process()) return;
  card().inside.fetch_add(1, std::memory_order_seq_cst);  // with end_use
  tell(use == Use::kEarly ? ProcessPhase::kInSession : ProcessPhase::kInLateSession);
}

// Goes back from a phase of sessions to the one before it. A rank that opens one just now tells it
// after it has counted itself.
bool JobBoard::fall_back(ProcessPhase from, ProcessPhase to) noexcept {
  ProcessPhase before = from;
  if (!card().phase.compare_exchange_strong(before, to, std::memory_order_seq_cst)) return false;
  if (any_uses()) tell(from);
  return true;
}

void JobBoard::end_use() noexcept {
  if (!is_of_process() || card().inside.fetch_sub(1, std::memory_order_seq_cst) > 1) return;
  if (fall_back(ProcessPhase::kInSession, ProcessPhase::kOutside)) return;
  fall_back(ProcessPhase::kInLateSession, ProcessPhase::kFinal);
}

MeaningOfEnd JobBoard::note_end(ProcessPhase phase, int status) noexcept {
  const MeaningOfEnd meaning = page_->note_end(phase, status);
  if (meaning.then == MeaningOfEnd::Then::kWatchOthers) ++card().left;
  return meaning;
}

}  // namespace heddle::runtime
