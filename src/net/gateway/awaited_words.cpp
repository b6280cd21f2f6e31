#include "net/gateway/awaited_words.h"

#include "base/platform/cpu.h"

namespace heddle::gateway {

namespace {
// Looks before a kernel thread goes the long way: most words that are waited for come within a
// round trip of a cache line.
constexpr int kLooks = 16;

bool is_there(const ult::AwaitedCount& count) noexcept {
  // seq_cst: [S]
  const std::uint32_t seen = count.word->load(std::memory_order_seq_cst);
  return static_cast<std::int32_t>(seen - count.number) >= 0;
}
}  // namespace

AwaitedWords::~AwaitedWords() {
  if (is_poller_.load(std::memory_order_relaxed)) ult::remove_poller(*this);
}

void AwaitedWords::wait(const ult::AwaitedCount& count) noexcept {
  Waiter waiter(count);
  for (int look = 0; look < kLooks; ++look) {
    if (is_there(count)) return;
    platform::cpu_relax();
  }
  if (waiter.reached.spin(count) && is_there(count)) return;
  enlist(waiter);
  look();
  waiter.reached.wait();
}

void AwaitedWords::enlist(Waiter& waiter) noexcept {
  if (!is_poller_.load(std::memory_order_relaxed) &&
      !is_poller_.exchange(true, std::memory_order_relaxed)) {
    ult::add_poller(*this);
  }
  const SpinGuard guard(lock_);
  waiters_.push_back(waiter);
  listed_.store(listed_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);  // [S]
}

void AwaitedWords::take_reached(Waiters& reached) noexcept {
  int left = 0;
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    Waiter& waiter = *at;
    ++at;
    if (is_there(waiter.count)) {
      Waiters::erase(waiter);
      reached.push_back(waiter);
    } else {
      ++left;
    }
  }
  // relaxed: a number that is too high costs a look.
  if (!reached.empty()) listed_.store(left, std::memory_order_relaxed);
}

void AwaitedWords::look_at_all() noexcept {
  Waiters reached;
  {
    const SpinGuard guard(lock_);
    take_reached(reached);
  }
  wake(reached);
}

bool AwaitedWords::poll(int, ult::PollEffort effort) noexcept {
  if (listed_.load(std::memory_order_seq_cst) == 0) return false;
  // The holder has perhaps looked already: a caller that would sleep looks again.
  if (!lock_.try_lock()) return effort == ult::PollEffort::kThorough;
  Waiters reached;
  take_reached(reached);
  lock_.unlock();
  return wake(reached);
}

bool AwaitedWords::wake(Waiters& reached) noexcept {
  const bool any = !reached.empty();
  while (Waiter* const one = reached.pop_front()) one->reached.set();
  return any;
}

}  // namespace heddle::gateway
