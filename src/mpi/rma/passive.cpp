// Passive targets: locks and flushes (MPI 5.0 §12.5.3, §12.5.4).

#include <atomic>
#include <string>

#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "mpi/rma/checks.h"
#include "mpi/rma/remote.h"
#include "mpi/rma/sync.h"

namespace heddle::rma {

using Mark = Epochs::Mark;

namespace {

// Orders what the rank has written into windows before what it reads from them next.
void order_memory() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

// The lock that a strand waits for.
struct Awaiting {
  Window& window;
  int rank;
  LockMode mode;
};

std::string text_of_lock(const void* subject) {
  const auto& awaiting = *static_cast<const Awaiting*>(subject);
  const char* const kind = awaiting.mode == LockMode::kExclusive ? "the exclusive lock"
                           : awaiting.mode == LockMode::kShared  ? "a shared lock"
                                                                 : "the end of the exclusive lock";
  const int holder = awaiting.window.member(awaiting.rank).lock.holder();
  return std::string(kind) + " of rank " + std::to_string(awaiting.rank) + " in " +
         describe(awaiting.window) +
         (holder >= 0 ? ", which rank " + std::to_string(holder) + " has" : "");
}

void take_slow(const Awaiting& awaiting) noexcept {
  const ult::NotedWait noted({Standing::mine.call, text_of_lock, &awaiting});
  awaiting.window.member(awaiting.rank).lock.lock_slow(awaiting.mode);
}

void take(Window& window, int rank, LockMode mode) noexcept {
  if (!window.member(rank).lock.try_lock(mode)) take_slow({window, rank, mode});
}

void take_exclusive(Window& window, int rank) noexcept {
  TargetLock& lock = window.member(rank).lock;
  AllLock& all = window.part().all();
  for (;;) {
    take(window, rank, LockMode::kExclusive);
    if (!all.is_taken()) break;
    lock.unlock(LockMode::kExclusive);
    const Awaiting awaiting{window, rank, LockMode::kExclusive};
    const ult::NotedWait noted({Standing::mine.call, text_of_lock, &awaiting});
    all.wait();
  }
  lock.note_holder(window.rank());
}

Error need_locks(const Window& window) {
  if (!window.has_no_locks()) return {};
  return Error::make(MPI_ERR_RMA_SYNC, "%s has the hint no_locks, so it may not be locked",
                     describe(window).c_str());
}

}  // namespace

Error lock(int type, int rank, int assertion, Window& window) {
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE) {
    return Error::make(MPI_ERR_LOCKTYPE,
                       "argument lock_type is %d, but must be MPI_LOCK_SHARED or "
                       "MPI_LOCK_EXCLUSIVE",
                       type);
  }
  if (Error e = check_rank(rank, window)) return e;
  if (Error e = check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK")) return e;
  if (Error e = need_locks(window)) return e;
  if (rank == MPI_PROC_NULL) return {};
  const bool alone = type == MPI_LOCK_EXCLUSIVE;
  if (!window.epochs().begin_lock(rank, alone ? Mark::kExclusive : Mark::kShared)) {
    return wrong_epoch(window, "a target is locked once, and not inside of another epoch");
  }
  const LockMode mode = alone ? LockMode::kExclusive : LockMode::kShared;
  if (!window.member(rank).here) return remote::lock(rank, mode, window);
  alone ? take_exclusive(window, rank) : take(window, rank, mode);
  return {};
}

Error unlock(int rank, Window& window) {
  if (Error e = check_rank(rank, window)) return e;
  if (rank == MPI_PROC_NULL) return {};
  const Mark mark = window.epochs().end_lock(rank);
  if (mark == Mark::kNone) return wrong_epoch(window, "it has not locked this target");
  const LockMode mode = mark == Mark::kExclusive ? LockMode::kExclusive : LockMode::kShared;
  if (!window.member(rank).here) {
    Error failed = remote::flush(rank, window);
    remote::unlock(rank, mode, window);
    return failed;
  }
  TargetLock& lock = window.member(rank).lock;
  if (mark == Mark::kExclusive) lock.note_holder(MPI_PROC_NULL);
  lock.unlock(mode);
  return {};
}

Error lock_all(int assertion, Window& window) {
  if (Error e = check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK")) return e;
  if (Error e = need_locks(window)) return e;
  if (!window.epochs().begin_all()) return wrong_epoch(window, "end it before MPI_Win_lock_all");
  window.part().all().enter();
  for (int rank = 0; rank < window.size(); ++rank) {
    if (window.member(rank).lock.is_exclusive()) take(window, rank, LockMode::kPass);
  }
  return remote::lock_all(window);
}

Error unlock_all(Window& window) {
  if (!window.epochs().end_all()) {
    return wrong_epoch(window, "MPI_Win_unlock_all ends that of MPI_Win_lock_all");
  }
  Error failed = remote::flush_all(window);
  remote::unlock_all(window);
  window.part().all().leave();
  return failed;
}

Error flush(int rank, Window& window) {
  if (Error e = check_rank(rank, window)) return e;
  if (rank != MPI_PROC_NULL && !window.epochs().has_locked(rank)) {
    return wrong_epoch(window, "only targets that are locked are flushed");
  }
  order_memory();
  if (rank == MPI_PROC_NULL || window.member(rank).here) return {};
  return remote::flush(rank, window);
}

Error flush_all(Window& window) {
  if (!window.epochs().has_locked_any()) {
    return wrong_epoch(window, "only targets that are locked are flushed");
  }
  order_memory();
  return remote::flush_all(window);
}

Error sync(Window&) {
  order_memory();
  return {};
}

}  // namespace heddle::rma
