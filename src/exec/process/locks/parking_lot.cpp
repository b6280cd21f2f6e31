#include "exec/process/locks/parking_lot.h"

#include <pthread.h>
#include <time.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <new>

#include "base/fork.h"
#include "base/platform/clock.h"
#include "base/standing.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/ult/alert.h"
#include "exec/ult/ult.h"
#include "exec/ult/wait.h"

namespace heddle::process {

namespace {
constexpr std::size_t kBuckets = 1024;
std::array<Bucket, kBuckets> buckets;

// In the child of a fork no other strand waits, or holds a bucket's lock.
void forget_waiters(bool) noexcept {
  for (Bucket& bucket : buckets) new (&bucket) Bucket();
}
[[maybe_unused]] const bool at_forks =
    at_fork(ForkPart::kWaiters, {.become_child = forget_waiters});
}  // namespace

Bucket& Bucket::of(const void* key) noexcept {
  // Fibonacci hashing: the program's objects lie at regular distances.
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  constexpr int kIndexBits = 10;
  static_assert(kBuckets == 1 << kIndexBits);
  const auto address = reinterpret_cast<std::uintptr_t>(key);
  return buckets[(address * kGolden) >> (64 - kIndexBits)];
}

void Bucket::announce(Waiter& waiter) noexcept {
  waiter.queued = true;
  waiters_.fetch_add(1, std::memory_order_relaxed);
  // seq_cst orders `waiters_` and the word that the waiter looks at next [F2].
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Bucket::queue(Waiter& waiter) noexcept {
  queue_.push_back(waiter);
  announce(waiter);
}

void Bucket::queue_in_front(Waiter& waiter) noexcept {
  queue_.push_front(waiter);
  announce(waiter);
}

bool Bucket::withdraw(Waiter& waiter) noexcept {
  if (!waiter.queued) return false;
  IntrusiveList<Waiter>::erase(waiter);
  waiter.queued = false;
  waiters_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

int Bucket::take(const void* key, int count, Taken* out) noexcept {
  int taken = 0;
  auto next = queue_.begin();
  while (taken < count && next != queue_.end()) {
    Waiter& waiter = *next;
    ++next;
    if (waiter.key != key) continue;
    withdraw(waiter);
    out->push(waiter);
    ++taken;
  }
  return taken;
}

bool Waiter::withdraw() noexcept {
  Bucket& bucket = Bucket::of(key);
  SpinGuard guard(bucket.lock);
  if (!bucket.withdraw(*this)) return false;
  if (counted_in != nullptr) --*counted_in;
  return true;
}

namespace {

// In a constructor of a library, and in a section without switch: no other ult may run here.
bool wait_in_place(const ult::Completion& completion, std::int64_t deadline_ns) noexcept {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 50'000};
  while (!completion.done()) {
    if (platform::now_ns() >= deadline_ns) return false;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
  }
  return true;
}

// True if the caller waits in the scheduler; else it waits in place.
bool may_leave_place() noexcept {
  return may(ult::current() != nullptr ? Act::kWait : Act::kSwitch);
}

WaitEnd wait_in_queue(Waiter& waiter, const ult::WaitOptions& options) noexcept {
  if (may_leave_place()) return ult::wait_in_queue(waiter, options);
  if (wait_in_place(waiter.completion, options.deadline_ns)) return WaitEnd::kDone;
  if (waiter.withdraw()) return WaitEnd::kTimedOut;
  wait_in_place(waiter.completion, kNever);
  return WaitEnd::kDone;
}

ult::Interrupt* interrupt_for(Cancels cancels) noexcept {
  return cancels == Cancels::kYes && may_leave_place() ? cancellation_point() : nullptr;
}

}  // namespace

WaitEnd wait_until(ult::Completion& completion, std::int64_t deadline_ns,
                   Cancels cancels) noexcept {
  stand_still_if_over();
  WaitEnd end = WaitEnd::kDone;
  if (may_leave_place()) {
    end = ult::wait(completion, {.deadline_ns = deadline_ns, .interrupt = interrupt_for(cancels)});
  } else if (!wait_in_place(completion, deadline_ns)) {
    end = WaitEnd::kTimedOut;
  }
  stand_still_if_over();
  return end;
}

WaitEnd wait_until(Waiter& waiter, std::int64_t deadline_ns, Cancels cancels) noexcept {
  // A rank that is over gives up its place in the queue: other ranks may wait behind it.
  const WaitEnd end = wait_in_queue(waiter, {.deadline_ns = is_over() ? 0 : deadline_ns,
                                             .interrupt = interrupt_for(cancels),
                                             .alerts = ult::Alerts::kReturns});
  if (is_over()) {
    if (end == WaitEnd::kDone && waiter.passes_on) wake(waiter.key, 1);
    stand_still_if_over();
  }
  if (end == WaitEnd::kAlerted) ult::answer_alert();
  return end;
}

int wake(const void* key, int count) noexcept {
  Bucket& bucket = Bucket::of(key);
  if (!bucket.has_waiters()) return 0;
  Taken taken;  // outlives the guard: no strand is woken under the lock
  SpinGuard guard(bucket.lock);
  return bucket.take(key, count, &taken);
}

}  // namespace heddle::process
