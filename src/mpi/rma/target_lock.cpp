#include "mpi/rma/target_lock.h"

namespace heddle::rma {

struct LockWaiter : ListNode<> {
  explicit LockWaiter(LockMode its_mode) noexcept : mode(its_mode) {}

  const LockMode mode;
  int lost = 0;          // how often another strand was faster
  bool granted = false;  // written before `woken` is set
  ult::Completion woken;
};

// True if the waiter must wait. One that lost comes first again.
bool TargetLock::queue_up(LockWaiter& waiter) noexcept {
  const SpinGuard guard(queue_lock_);
  const bool is_first = waiter.lost > 0 || queue_.empty();
  // From here on each unlock comes for the queue's lock, so that none is missed.
  word_.fetch_or(kQueued, std::memory_order_seq_cst);
  if (is_first && try_lock(waiter.mode, 0)) {
    if (queue_.empty()) word_.fetch_and(~kQueued, std::memory_order_relaxed);
    return false;
  }
  waiter.lost > 0 ? queue_.push_front(waiter) : queue_.push_back(waiter);
  return true;
}

void TargetLock::lock_slow(LockMode mode) noexcept {
  for (int lost = 0;; ++lost) {
    LockWaiter waiter(mode);
    waiter.lost = lost;
    if (!queue_up(waiter)) break;
    waiter.woken.wait();
    if (waiter.granted || try_lock(mode, 0)) break;
  }
  // Those behind may share with the caller.
  if (mode != LockMode::kExclusive) look_at_queue();
}

void TargetLock::look_at_queue() noexcept {
  LockWaiter* front = nullptr;
  {
    const SpinGuard guard(queue_lock_);
    front = queue_.front();
    if (front != nullptr) {
      const std::uint32_t word = word_.load(std::memory_order_relaxed);
      const bool hindered =
          (word & (front->mode == LockMode::kExclusive ? ~kQueued : kExclusive)) != 0;
      if (hindered) return;  // whoever holds it comes here again
      front->granted = front->lost >= kPatience && try_lock(front->mode, 0);
      IntrusiveList<LockWaiter>::erase(*front);
    }
    if (queue_.empty()) word_.fetch_and(~kQueued, std::memory_order_relaxed);
  }
  if (front != nullptr) front->woken.set();
}

void AllLock::wait() noexcept {
  LockWaiter waiter(LockMode::kPass);
  {
    const SpinGuard guard(queue_lock_);
    const std::uint32_t before = count_.fetch_or(kAwaited, std::memory_order_seq_cst);
    if ((before & ~kAwaited) == 0) {
      if (queue_.empty()) count_.fetch_and(~kAwaited, std::memory_order_relaxed);
      return;
    }
    queue_.push_back(waiter);
  }
  waiter.woken.wait();
}

void AllLock::wake() noexcept {
  IntrusiveList<LockWaiter> woken;
  {
    const SpinGuard guard(queue_lock_);
    count_.fetch_and(~kAwaited, std::memory_order_relaxed);
    while (LockWaiter* waiter = queue_.pop_front()) woken.push_back(*waiter);
  }
  while (LockWaiter* waiter = woken.pop_front()) waiter->woken.set();  // it may be gone now
}

}  // namespace heddle::rma
