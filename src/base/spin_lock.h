// spin_lock.h — a lock for sections of a few dozen instructions that never switch.
//
// After a short spin it yields the kernel thread, because the holder may have been preempted. A
// user-level thread must not park or yield while it holds one.
//
// Thread safety: any thread; not recursive; the thread that locked it unlocks it.

#pragma once

#include <atomic>

#include "base/schedule_point.h"
#include "base/standing.h"
#include "base/thread_annotations.h"

namespace heddle {

class CAPABILITY("spin lock") SpinLock {
 public:
  SpinLock() = default;
  SpinLock(SpinLock&&) = delete;

  // May switch in debug builds, before it has the lock, unless the caller holds another one.
  void lock() noexcept ACQUIRE() {
    schedule_point();
    if (!try_lock()) lock_slow(kSoon);
  }
  // Locks as lock() does, but a caller that finds the lock taken pauses longer before it looks
  // again. For callers that have less to do if the others come first.
  void lock_giving_way() noexcept ACQUIRE() {
    schedule_point();
    if (!try_lock()) lock_slow(kLater);
  }
  bool try_lock() noexcept TRY_ACQUIRE(true) {
    if (held_.exchange(true, std::memory_order_acquire)) return false;  // [A1]
    Standing::enter(Standing::kSection);
    return true;
  }
  void unlock() noexcept RELEASE() {
    Standing::leave(Standing::kSection);
    held_.store(false, std::memory_order_release);  // [R1]
  }

 private:
  // Pauses of the processor before the first look; 25 ns each where they were chosen
  // (docs/bench-notes/trials.md).
  static constexpr int kSoon = 2;
  static constexpr int kLater = 8;

  // [R1] pairs with [A1]: the next holder sees what this one wrote.
  void lock_slow(int first_pause) noexcept ACQUIRE();

  std::atomic<bool> held_{false};
};

// Locks for a scope.
class SCOPED_CAPABILITY SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) noexcept ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
  ~SpinGuard() RELEASE() { lock_.unlock(); }
  SpinGuard(SpinGuard&&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace heddle
