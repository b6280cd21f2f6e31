#include "mpi/rma/target_lock.h"

#include <cassert>

#include "exec/ult/completion.h"

namespace heddle::rma {

namespace {

class StrandWaiter final : public LockWaiter {
 public:
  StrandWaiter(LockMode mode, int lost) noexcept : LockWaiter(mode, lost, false) {}

  bool wake() noexcept override {
    woken_.set();
    return false;
  }
  bool wait() noexcept {
    woken_.wait();
    return has_lock();
  }

 private:
  ult::Completion woken_;
};

}  // namespace

// One that lost comes first again.
bool LockQueue::queue_up(TargetLock& lock, LockWaiter& waiter) noexcept {
  const SpinGuard guard(lock_);
  const bool is_first = waiter.returns_ || queue_.empty();
  // From here on each unlock has the queue looked at, so that none is missed.
  lock.word_.fetch_or(TargetLock::kQueued, std::memory_order_seq_cst);
  if (is_first && lock.try_again(waiter.mode_)) {
    if (queue_.empty()) lock.word_.fetch_and(~TargetLock::kQueued, std::memory_order_relaxed);
    return false;
  }
  waiter.returns_ ? queue_.push_front(waiter) : queue_.push_back(waiter);
  return true;
}

bool LockQueue::wait(TargetLock& lock, LockMode mode, int lost) noexcept {
  StrandWaiter waiter(mode, lost);
  return !queue_up(lock, waiter) || waiter.wait();
}

// Takes out the front if it may go on; `*more`: the one behind may go on with it.
LockWaiter* LockQueue::take_front(TargetLock& lock, bool* more) noexcept {
  const SpinGuard guard(lock_);
  LockWaiter* const front = queue_.front();
  if (front != nullptr) {
    const LockMode mode = front->mode_;
    const bool is_due = front->must_have_ || front->lost_ >= kPatience;
    const bool may_go_on =
        is_due ? lock.try_again(mode)
               : (lock.word_.load(std::memory_order_relaxed) & TargetLock::hindering(mode)) == 0;
    if (!may_go_on) {  // its holder has the queue looked at again
      if (++front->lost_ > kPatience) {
        lock.word_.fetch_or(TargetLock::kClosed, std::memory_order_relaxed);
      }
      return nullptr;
    }
    front->has_lock_ = is_due;
    *more = front->must_have_ && mode != LockMode::kExclusive;
    IntrusiveList<LockWaiter>::erase(*front);
    lock.word_.fetch_and(~TargetLock::kClosed, std::memory_order_relaxed);
  }
  if (queue_.empty()) lock.word_.fetch_and(~TargetLock::kQueued, std::memory_order_relaxed);
  return front;
}

void LockQueue::look(TargetLock& lock) noexcept {
  for (bool more = true; more;) {
    more = false;
    LockWaiter* const front = take_front(lock, &more);
    if (front != nullptr && front->wake()) more = true;  // it may be gone now
  }
}

bool AllQueue::left_or_queue(AllLock& all, LockWaiter& waiter) noexcept {
  const SpinGuard guard(lock_);
  const std::uint32_t before =
      all.count_.fetch_or(AllLock::kAwaited, std::memory_order_seq_cst);  // [C2]
  if ((before & ~AllLock::kAwaited) == 0) return true;
  queue_.push_back(waiter);
  return false;
}

void AllQueue::wait(AllLock& all) noexcept {
  StrandWaiter waiter(LockMode::kPass, 0);
  if (!left_or_queue(all, waiter)) waiter.wait();
}

void AllQueue::wake() noexcept {
  IntrusiveList<LockWaiter> woken;
  {
    const SpinGuard guard(lock_);
    while (LockWaiter* waiter = queue_.pop_front()) woken.push_back(*waiter);
  }
  while (LockWaiter* waiter = woken.pop_front()) {
    const bool has_unlocked = waiter->wake();  // it may be gone now
    assert(!has_unlocked);
    static_cast<void>(has_unlocked);
  }
}

}  // namespace heddle::rma
