#include "exec/process/sleep/sleep.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/platform/clock.h"
#include "base/section_without_switch.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

bool may_switch() noexcept {
  stand_still_if_over();
  return ult::current() != nullptr && may_switch_here() && !is_loading();
}

Slept sleep_plainly(std::int64_t deadline_ns, ult::Interrupt* interrupt, ult::WaitEnd* end) {
  ult::Completion never;
  *end = ult::wait(never, deadline_ns, interrupt);
  return Slept::kToTheEnd;
}

constinit std::atomic<SleepWithSignals> sleep_with_signals{nullptr};

}  // namespace

void set_sleep_with_signals(SleepWithSignals sleep) noexcept {
  sleep_with_signals.store(sleep, std::memory_order_relaxed);
}

Slept sleep_until(std::int64_t deadline_ns) {
  if (!may_switch()) return Slept::kNot;
  pthread_testcancel();
  const SleepWithSignals sleep = sleep_with_signals.load(std::memory_order_relaxed);
  for (;;) {
    ult::WaitEnd end = ult::WaitEnd::kTimedOut;
    const Slept slept =
        (sleep != nullptr ? sleep : sleep_plainly)(deadline_ns, cancellation_point(), &end);
    stand_still_if_over();
    if (slept != Slept::kToTheEnd) return slept;
    if (end != ult::WaitEnd::kInterrupted) return Slept::kToTheEnd;
    act_on_cancellation();
  }
}

bool let_others_run() noexcept {
  if (!may_switch()) return false;
  ult::yield();
  stand_still_if_over();
  return true;
}

std::int64_t Pauses::next_ns() noexcept {
  constexpr std::int64_t kLongest = 10'000'000;
  return std::exchange(length_ns_, std::min(2 * length_ns_, kLongest));
}

Slept Pauses::pause() {
  return sleep_until(platform::now_ns() + next_ns());
}

bool Pauses::wait() {
  const timespec length = {0, length_ns_};
  const Slept slept = pause();
  if (slept != Slept::kNot) return slept != Slept::kHandled;
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr) == 0;
}

}  // namespace heddle::process
