#include "runtime/process_rank.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace heddle::runtime {

namespace {

// Of this process; never unmapped, since the end of the process may still tell its phase.
JobPage* page = nullptr;
Card* card = nullptr;

Error lost_descriptor(int descriptor) {
  return Error::make(kErrorOther,
                     "descriptor %d, which mpiexec gave to this process, is no longer what it was; "
                     "the program must not close it before MPI_Init",
                     descriptor);
}

JobPage* map_page(int descriptor, int rank) noexcept {
  JobPage head;
  if (pread(descriptor, &head, sizeof head, 0) != sizeof head) return nullptr;
  if (head.kind != JobPage::kKind || rank < 0 || rank >= head.ranks) return nullptr;
  void* const memory =
      mmap(nullptr, JobPage::bytes(head.ranks), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory != MAP_FAILED ? static_cast<JobPage*>(memory) : nullptr;
}

bool is_running(pid_t process) noexcept {
  return kill(process, 0) == 0 || errno != ESRCH;
}

}  // namespace

Error find_process_rank(ProcessRank* found) {
  const char* const text = getenv(kProcessVariable);
  if (text == nullptr) return {};
  int rank = 0;
  int page_file = -1;
  int memory = -1;
  if (std::sscanf(text, "%d:%d:%d", &rank, &page_file, &memory) != 3) {
    return Error::make(kErrorOther, "%s=%s is nothing that mpiexec sets", kProcessVariable, text);
  }
  JobPage* const mapped = map_page(page_file, rank);
  if (mapped == nullptr) return lost_descriptor(page_file);
  Card& own = mapped->card(rank);
  std::int32_t none = 0;
  if (!own.process.compare_exchange_strong(none, getpid(), std::memory_order_relaxed)) {
    const std::size_t bytes = JobPage::bytes(mapped->ranks);
    munmap(mapped, bytes);
    if (none != getpid() && is_running(none)) return {};  // a child of the rank is a job of one
    return Error::make(kErrorOther,
                       "rank %d has called MPI_Init in process %d already, which has ended; a rank "
                       "is one process",
                       rank, none);
  }
  page = mapped;
  card = &own;
  close(page_file);
  unsetenv(kProcessVariable);  // what this process starts is no rank
  *found = {rank, mapped->ranks, memory};
  return {};
}

void tell_phase(ProcessPhase phase) noexcept {
  // A child of a fork is not the rank.
  if (card == nullptr || card->process.load(std::memory_order_relaxed) != getpid()) return;
  card->phase.store(phase, std::memory_order_seq_cst);  // with failed_outside
}

int failed_outside() noexcept {
  return page != nullptr ? page->failed_outside.load(std::memory_order_seq_cst) : 0;
}

}  // namespace heddle::runtime
