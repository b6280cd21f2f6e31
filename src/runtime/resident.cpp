#include "runtime/resident.h"

#include <atomic>

#include "exec/heap/heap.h"
#include "exec/process/threads/threads.h"
#include "exec/ult/move.h"
#include "net/world/host.h"

namespace heddle::runtime {

void Resident::begin(Rank& rank) noexcept {
  world::Process* const process = world::here().process;
  const SpinGuard guard(lock_);
  main_ = ult::current();
  rank_ = &rank;
  process_ = process;
}

void Resident::end() noexcept {
  const SpinGuard guard(lock_);
  main_ = nullptr;
}

heap::FollowingPages* Resident::move(int worker) noexcept {
  const SpinGuard guard(lock_);
  if (main_ == nullptr) return nullptr;
  // relaxed: the number itself is all that is told.
  std::atomic_ref(process_->worker).store(worker, std::memory_order_relaxed);
  ult::move(*main_, worker);
  posix::move_threads(*rank_, worker);
  return heap::pages_of(*rank_);
}

}  // namespace heddle::runtime
