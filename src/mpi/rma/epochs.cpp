#include "mpi/rma/epochs.h"

namespace heddle::rma {

bool Epochs::finds_lock() const noexcept {
  for (int target = 0; target < targets_; ++target) {
    if (mark(target) > Mark::kStarted) return true;
  }
  return false;
}

bool Epochs::enter(std::uint32_t state) noexcept {
  std::uint32_t seen = access();
  do {
    if (seen > kFence || has_locked_one()) return false;
  } while (!access_.compare_exchange_weak(seen, state, std::memory_order_relaxed));
  return true;
}

bool Epochs::may_fence() const noexcept {
  return access() <= kFenceUsed && !has_locked_one() && !is_exposed();
}

const char* Epochs::describe() const noexcept {
  switch (access()) {
    case kNone:
      return has_locked_one() ? "an epoch that MPI_Win_lock has opened"
             : is_exposed()   ? "an epoch that MPI_Win_post has opened"
                              : "no epoch";
    case kFence:
    case kFenceUsed:
      return "an epoch that MPI_Win_fence has opened";
    case kStarted:
      return "an epoch that MPI_Win_start has opened";
    default:
      return "an epoch that MPI_Win_lock_all has opened";
  }
}

}  // namespace heddle::rma
