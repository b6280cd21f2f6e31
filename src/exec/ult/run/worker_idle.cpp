// What a worker does when nothing is ready: look everywhere, spin, sleep in the kernel.
#include <algorithm>
#include <cassert>
#include <utility>

#include "base/platform/clock.h"
#include "base/platform/cpu.h"
#include "base/platform/futex.h"
#include "base/section_without_switch.h"
#include "exec/ult/idle/bell_place.h"
#include "exec/ult/idle/help.h"
#include "exec/ult/idle/pollers.h"
#include "exec/ult/run/monitor_sleep.h"
#include "exec/ult/run/watching.h"
#include "exec/ult/run/worker.h"

namespace heddle::ult {

namespace {
// While it lives, the worker's time goes to no account, and the watch takes it for idle.
class IdleTime {
 public:
  IdleTime(Meter& meter, int worker) noexcept
      : meter_(metering() ? &meter : nullptr), watch_(watch()), worker_(worker) {
    if (meter_ != nullptr) meter_->turn_to(nullptr);
    if (watch_ != nullptr) watch_->idles(worker_, true);
  }
  ~IdleTime() {
    if (watch_ != nullptr) watch_->idles(worker_, false);
    if (meter_ != nullptr) meter_->turn_to(current_account());
  }
  IdleTime(const IdleTime&) = delete;
  IdleTime& operator=(const IdleTime&) = delete;

 private:
  Meter* const meter_;
  const Watch* const watch_;
  const int worker_;
};
}  // namespace

Ult* Worker::idle() noexcept {
  if (is_lent_) return nullptr;  // back to the thread that has lent itself
  const IdleTime until_the_end(meter_, number_);
  if (turn_.computes) show_computing(false);
  while (!idle_turns()) {
    if (stopping_) return nullptr;
    if (spun_enough()) sleep();
  }
  if (std::exchange(owes_nudge_, false)) nudge();
  idle_since_ns_ = 0;
  return queue_.pop();
}

// True as soon as something is ready.
bool Worker::idle_turns() noexcept {
  look_outside(PollEffort::kIdle);
  if (help_is_wanted()) help(nullptr);
  for (int turn = 0; turn < kTurnsPerLook; ++turn) {
    take_inbox();
    if (!queue_.empty()) return true;
    platform::cpu_relax();
  }
  return false;
}

bool Worker::spun_enough() noexcept {
  const std::int64_t now = platform::now_ns();
  if (idle_since_ns_ == 0) idle_since_ns_ = now;
  // A spinning worker would keep the core from its own ults that wait outside of it.
  constexpr std::int64_t kSoon = 1'000'000;
  return now - idle_since_ns_ >= spin_ns_ || now - left_ns_ < kSoon;
}

bool Worker::spin_for(const Awaited& awaited) noexcept {
  if (is_lent_) return false;  // the thread that has lent itself spins
  // A ult that moved meanwhile would go on with the inbox of the worker that it had.
  const WithoutSwitch whole;
  const IdleTime until_the_end(meter_, number_);
  Ult& self = *Ult::current_;
  if (turn_.computes) {  // it waits
    self.turn.computes = false;
    show_computing(false);
  }
  do {
    take_inbox();
    look_outside(PollEffort::kIdle);
    if (help_is_wanted()) help(&awaited);
    for (int turn = 0; turn < kTurnsPerLook; ++turn) {
      if (awaited.is_there()) {
        idle_since_ns_ = 0;
        return true;
      }
      take_inbox();
      if (!queue_.empty()) {
        idle_since_ns_ = 0;
        return false;
      }
      platform::cpu_relax();
    }
  } while (!self.alerted.load(std::memory_order_relaxed) && !self.turn.moves && !spun_enough());
  return false;
}

// Until there is news for this worker, or for the strand that spins here, if one does.
void Worker::help(const Awaited* awaited) noexcept {
  const auto has_news = [&] {
    return !queue_.empty() || inbox_.has_news() || (awaited != nullptr && awaited->is_there());
  };
  if (has_news()) return;
  Help help(numa_node_);
  for (int parts = 0; parts < kPartsPerLook && help.do_part(); ++parts) {
    idle_since_ns_ = 0;
    if (has_news()) return;
  }
}

bool Worker::look_outside(PollEffort effort) noexcept {
  until_look_ = kSwitchesPerLook;
  assert(is_valid());
  if (!timers_.empty()) {
    const std::int64_t now = platform::now_ns();
    while (TimerNode* due = timers_.take_due(now)) {
      Ult& ult = static_cast<Ult&>(*due);
      forget_timer(ult);
      make_ready(ult);
    }
  }
  queue_.pass_pollers();
  const bool progress = poll_all(number_, effort);
  if (progress) idle_since_ns_ = 0;  // an idle worker goes on spinning
  return progress;
}

void Worker::arm(Ult& ult, std::int64_t deadline_ns) noexcept {
  timers_.add(ult, deadline_ns);
  ult.has_timer = true;
  ++timers_armed_;
  if (ult.asks()) ++timers_that_ask_;
}

// It does not run, so it asks as it did when the timer was armed.
void Worker::forget_timer(Ult& ult) noexcept {
  ult.has_timer = false;
  --timers_armed_;
  if (ult.asks()) --timers_that_ask_;
}

void Worker::sleep() noexcept {
  platform::Bell* bell = nullptr;
  {
    ListedSleeper until_the_end(alarm_, true);
    bell = take_bell();
    const std::uint32_t rings = bell != nullptr ? bell->begin() : 0;
    // The last look may find something, or make one of our ults ready.
    const bool stays_awake =
        look_outside(PollEffort::kThorough) || help_is_wanted_by_now(numa_node_);
    if (!stays_awake && queue_.empty()) sleep_in_kernel(bell, rings);
    if (bell != nullptr) bell->end();
    owes_nudge_ = until_the_end.leave() && bell == nullptr && host_bell() != nullptr;
  }
  if (bell != nullptr) give_bell_back();
}

// Until there is news in the inbox, a timer is due, or the bell has rung since `rings`.
void Worker::sleep_in_kernel(platform::Bell* bell, std::uint32_t rings) noexcept {
  const std::uint32_t asleep = bell != nullptr ? kAtBell : kAsleep;
  awake_.store(asleep,
               std::memory_order_relaxed);  // ordered before the push by try_sleep's release
  if (!inbox_.try_sleep()) return;
  count(kernel_sleeps_);
  sleeps_.store(true, std::memory_order_relaxed);
  const std::int64_t began = platform::now_ns();
  std::int64_t deadline = timers_.first_deadline();
  if (bell != nullptr) note_rings_before_sleep(rings);
  const bool for_good = timers_armed_ == timers_that_ask_;
  for_good_.store(for_good, std::memory_order_release);       // [Q1]
  while (awake_.load(std::memory_order_acquire) == asleep) {  // [A2]
    if (bell != nullptr) {
      bell->sleep(rings, deadline);
    } else {
      platform::futex_wait(awake_, kAsleep, deadline);
    }
    const bool has_rung = bell != nullptr && bell->has_rung(rings);
    if (!has_rung && platform::now_ns() < deadline) continue;
    // Other processes are to see that this one goes on (runtime/deadlock_between.h).
    if (!has_rung && for_good && host_bell() != nullptr) host_bell()->ring_for_itself();
    if (inbox_.cancel_sleep()) break;
    deadline = platform::kNever;  // a push came first and its wake-up is on the way
    if (bell != nullptr) rings = bell->begin();
  }
  if (bell != nullptr) forget_rings_before_sleep();
  for_good_.store(false, std::memory_order_relaxed);  // before the next try_sleep, which releases
  sleeps_.store(false, std::memory_order_seq_cst);    // [S3], monitor_sleep.h
  worker_left_sleep();
  adapt_spin(platform::now_ns() - began);
  idle_since_ns_ = 0;
}

// Spinning pays where the next event comes soon. A sleep that was short should have been a spin; a
// long one shows that the spin before it was for nothing. Most of a short one is the waking up, and it
// must count as short: two workers that wake each other in turn would else never spin again. A halted
// virtual core takes 50 us to wake, on a busy host more than any first guess: hence the doubling.
void Worker::adapt_spin(std::int64_t slept_ns) noexcept {
  constexpr std::int64_t kShortSleeps = 2;
  constexpr std::int64_t kLongSleeps = 10;
  constexpr std::int64_t kMost = 4;
  constexpr std::int64_t kLeastPart = 8;
  if (slept_ns <= kShortSleeps * usual_spin_ns_) {
    spin_ns_ = std::clamp(2 * spin_ns_, usual_spin_ns_, kMost * usual_spin_ns_);
  } else if (slept_ns > kLongSleeps * usual_spin_ns_) {
    spin_ns_ = std::max(spin_ns_ / 2, usual_spin_ns_ / kLeastPart);
  }
}

}  // namespace heddle::ult
