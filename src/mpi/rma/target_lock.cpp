#include "mpi/rma/target_lock.h"

namespace heddle::rma {

namespace {

class StrandWaiter final : public LockWaiter {
 public:
  explicit StrandWaiter(LockMode its_mode) noexcept : LockWaiter(its_mode, false) {}

  void wake() noexcept override { woken_.set(); }
  void wait() noexcept { woken_.wait(); }

 private:
  ult::Completion woken_;
};

}  // namespace

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
    StrandWaiter waiter(mode);
    LockWaiter& queued = waiter;
    queued.lost = lost;
    if (!queue_up(waiter)) break;
    waiter.wait();
    if (queued.granted || try_lock(mode, 0)) break;
  }
  // Those behind may share with the caller.
  if (mode != LockMode::kExclusive) look_at_queue();
}

// Takes out the front if it may go on; `*more`: the one behind may go on with it.
LockWaiter* TargetLock::take_front(bool* more) noexcept {
  const SpinGuard guard(queue_lock_);
  LockWaiter* const front = queue_.front();
  if (front != nullptr) {
    const std::uint32_t word = word_.load(std::memory_order_relaxed);
    const std::uint32_t hinders = front->mode == LockMode::kExclusive ? ~kQueued : kExclusive;
    if ((word & hinders) != 0) return nullptr;  // its holder comes here again
    front->granted = (front->remote || front->lost >= kPatience) && try_lock(front->mode, 0);
    if (front->remote && !front->granted) return nullptr;  // as above
    *more = front->remote && front->mode != LockMode::kExclusive;
    IntrusiveList<LockWaiter>::erase(*front);
  }
  if (queue_.empty()) word_.fetch_and(~kQueued, std::memory_order_relaxed);
  return front;
}

void TargetLock::look_at_queue() noexcept {
  for (bool more = true; more;) {
    more = false;
    if (LockWaiter* const front = take_front(&more)) front->wake();  // it may be gone now
  }
}

bool AllLock::left_or_queue(LockWaiter& waiter) noexcept {
  const SpinGuard guard(queue_lock_);
  const std::uint32_t before = count_.fetch_or(kAwaited, std::memory_order_seq_cst);
  if ((before & ~kAwaited) != 0) {
    queue_.push_back(waiter);
    return false;
  }
  if (queue_.empty()) count_.fetch_and(~kAwaited, std::memory_order_relaxed);
  return true;
}

void AllLock::wait() noexcept {
  StrandWaiter waiter(LockMode::kPass);
  if (!left_or_queue(waiter)) waiter.wait();
}

void AllLock::wake() noexcept {
  IntrusiveList<LockWaiter> woken;
  {
    const SpinGuard guard(queue_lock_);
    count_.fetch_and(~kAwaited, std::memory_order_relaxed);
    while (LockWaiter* waiter = queue_.pop_front()) woken.push_back(*waiter);
  }
  while (LockWaiter* waiter = woken.pop_front()) waiter->wake();  // it may be gone now
}

}  // namespace heddle::rma
