#include "mpi/rma/epochs.h"

namespace heddle::rma {

bool Epochs::enter(std::uint32_t state) noexcept {
  std::uint32_t seen = access();
  do {
    if (!may_begin(seen)) return false;
  } while (!access_.compare_exchange_weak(seen, state, std::memory_order_relaxed));
  return true;
}

bool Epochs::begin_lock(int target, Mark mark) noexcept {
  std::uint32_t seen = access();
  do {
    if (!may_begin(seen) && seen < kLocks) return false;
  } while (!access_.compare_exchange_weak(seen, seen < kLocks ? kLocks + 1 : seen + 1,
                                          std::memory_order_relaxed));
  Mark none = Mark::kNone;
  const bool is_new = marks_[static_cast<std::size_t>(target)].compare_exchange_strong(
      none, mark, std::memory_order_relaxed);
  if (!is_new) access_.fetch_sub(1, std::memory_order_relaxed);
  return is_new;
}

Epochs::Mark Epochs::end_lock(int target) noexcept {
  if (access() < kLocks) return Mark::kNone;
  const Mark before =
      marks_[static_cast<std::size_t>(target)].exchange(Mark::kNone, std::memory_order_relaxed);
  if (before == Mark::kNone) return before;
  std::uint32_t seen = access();
  while (!access_.compare_exchange_weak(seen, seen == kLocks + 1 ? kNone : seen - 1,
                                        std::memory_order_relaxed)) {
  }
  return before;
}

bool Epochs::may_fence() const noexcept {
  return access() <= kFenceUsed && !is_exposed();
}

const char* Epochs::describe() const noexcept {
  switch (access()) {
    case kNone:
      return is_exposed() ? "an epoch that MPI_Win_post has opened" : "no epoch";
    case kFence:
    case kFenceUsed:
      return "an epoch that MPI_Win_fence has opened";
    case kStarted:
      return "an epoch that MPI_Win_start has opened";
    case kAll:
      return "an epoch that MPI_Win_lock_all has opened";
    default:
      return "an epoch that MPI_Win_lock has opened";
  }
}

}  // namespace heddle::rma
