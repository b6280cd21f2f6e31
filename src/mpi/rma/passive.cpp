// Passive targets: locks and flushes (MPI 5.0 §12.5.3, §12.5.4).

#include <atomic>
#include <string>

#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "mpi/rma/checks.h"
#include "mpi/rma/mapped.h"
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
  const int holder = awaiting.window.part().lock(awaiting.rank).holder();
  return std::string(kind) + " of rank " + std::to_string(awaiting.rank) + " in " +
         describe(awaiting.window) +
         (holder >= 0 ? ", which rank " + std::to_string(holder) + " has" : "");
}

// The lock's queue is looked at: something there may go on.
void look(Window& window, int rank) noexcept {
  TargetLock& lock = window.part().lock(rank);
  if (window.member(rank).here) {
    window.member(rank).queue.look(lock);
  } else if (lock.call()) {
    mapped::look(rank, window);
  }
}

void release(Window& window, int rank, LockMode mode) noexcept {
  if (window.part().lock(rank).unlock(mode)) [[unlikely]]
    look(window, rank);
}

bool try_for_a_while(Window& window, int rank, LockMode mode) noexcept {
  TargetLock& lock = window.part().lock(rank);
  for (int looks = window.part().looks() - 1; looks > 0; --looks) {
    platform::cpu_relax();
    if (lock.try_lock(mode)) return true;
  }
  return false;
}

Error take_slow(const Awaiting& awaiting) {
  auto& [window, rank, mode] = awaiting;
  if (try_for_a_while(window, rank, mode)) return {};
  const ult::NotedWait noted({Standing::mine.call, text_of_lock, &awaiting});
  TargetLock& lock = window.part().lock(rank);
  Member& member = window.member(rank);
  bool has_lock = false;
  for (int lost = 0; !has_lock; ++lost) {
    if (member.here) {
      has_lock = member.queue.wait(lock, mode, lost);
    } else if (Error e = mapped::wait_for_lock(rank, mode, lost, &has_lock, window)) {
      return e;
    }
    has_lock = has_lock || lock.try_again(mode);
  }
  // What waits behind it may share with the caller.
  if (mode != LockMode::kExclusive) look(window, rank);
  return {};
}

Error take(Window& window, int rank, LockMode mode) {
  if (window.part().lock(rank).try_lock(mode)) [[likely]]
    return {};
  return take_slow({window, rank, mode});
}

Error take_exclusive(Window& window, int rank) {
  AllLock& all = window.part().all();
  for (;;) {
    if (Error e = take(window, rank, LockMode::kExclusive)) return e;
    if (!all.is_taken()) break;
    release(window, rank, LockMode::kExclusive);
    const Awaiting awaiting{window, rank, LockMode::kExclusive};
    const ult::NotedWait noted({Standing::mine.call, text_of_lock, &awaiting});
    window.part().all_queue().wait(all);
  }
  window.part().lock(rank).note_holder(window.rank());
  return {};
}

[[gnu::cold, gnu::noinline]] Error has_no_locks(const Window& window) {
  return Error::make(MPI_ERR_RMA_SYNC, "%s has the hint no_locks, so it may not be locked",
                     describe(window).c_str());
}

inline Error need_locks(const Window& window) {
  if (!window.has_no_locks()) [[likely]]
    return {};
  return has_no_locks(window);
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
  if (!window.part().reaches(rank)) {
    remote::lock(rank, mode, window);
    return {};
  }
  Error failed = alone ? take_exclusive(window, rank) : take(window, rank, mode);
  if (failed) window.epochs().end_lock(rank);
  return failed;
}

Error unlock(int rank, Window& window) {
  if (Error e = check_rank(rank, window)) return e;
  if (rank == MPI_PROC_NULL) return {};
  const Mark mark = window.epochs().end_lock(rank);
  if (mark == Mark::kNone) return wrong_epoch(window, "it has not locked this target");
  const LockMode mode = mark == Mark::kExclusive ? LockMode::kExclusive : LockMode::kShared;
  if (!window.part().reaches(rank)) return remote::unlock(rank, mode, window);
  if (mark == Mark::kExclusive) window.part().lock(rank).note_holder(-1);
  release(window, rank, mode);
  return {};
}

Error lock_all(int assertion, Window& window) {
  if (Error e = check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK")) return e;
  if (Error e = need_locks(window)) return e;
  if (!window.epochs().begin_all()) return wrong_epoch(window, "end it before MPI_Win_lock_all");
  window.part().all().enter();
  for (int rank = 0; rank < window.size(); ++rank) {
    if (!window.part().lock(rank).is_exclusive()) continue;
    if (Error e = take(window, rank, LockMode::kPass)) return e;
  }
  return remote::lock_all(window);
}

Error unlock_all(Window& window) {
  if (!window.epochs().end_all()) {
    return wrong_epoch(window, "MPI_Win_unlock_all ends that of MPI_Win_lock_all");
  }
  Error failed = remote::flush_all(window);
  remote::unlock_all(window);
  if (window.part().all().leave()) [[unlikely]] {
    window.part().all_have_left();
    mapped::all_have_left(window);
  }
  return failed;
}

Error flush(int rank, Window& window) {
  if (Error e = check_rank(rank, window)) return e;
  if (rank != MPI_PROC_NULL && !window.epochs().has_locked(rank)) {
    return wrong_epoch(window, "only targets that are locked are flushed");
  }
  order_memory();
  if (rank == MPI_PROC_NULL || window.part().reaches(rank)) return {};
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
