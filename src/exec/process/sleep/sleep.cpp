#include "exec/process/sleep/sleep.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/platform/clock.h"
#include "base/standing.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/ult/alert.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

Slept sleep_plainly(std::int64_t deadline_ns, ult::Interrupt* interrupt, ult::WaitEnd* end) {
  ult::Completion never;
  *end = ult::wait(never, deadline_ns, interrupt);
  return Slept::kToTheEnd;
}

constinit std::atomic<const WaitsWithSignals*> with_signals{nullptr};

}  // namespace

void set_waits_with_signals(const WaitsWithSignals* waits) noexcept {
  with_signals.store(waits, std::memory_order_relaxed);
}

Slept answer_alert() {
  if (const auto* const waits = with_signals.load(std::memory_order_relaxed)) {
    return waits->answer_alert();
  }
  ult::answer_alert();
  return Slept::kToTheEnd;
}

unsigned long handlers_run() noexcept {
  const auto* const waits = with_signals.load(std::memory_order_relaxed);
  return waits != nullptr ? waits->handlers_run() : 0;
}

bool swap_mask(const sigset_t& mask, sigset_t* before) noexcept {
  const auto* const waits = with_signals.load(std::memory_order_relaxed);
  return waits != nullptr && waits->swap_mask(mask, before);
}

void run_pending_handlers() {
  if (const auto* const waits = with_signals.load(std::memory_order_relaxed)) waits->run_pending();
}

Slept sleep_until(std::int64_t deadline_ns) {
  stand_still_if_over();
  if (!may(Act::kWait)) return Slept::kNot;
  pthread_testcancel();
  const auto* const waits = with_signals.load(std::memory_order_relaxed);
  const auto sleep = waits != nullptr ? waits->sleep_until : sleep_plainly;
  for (;;) {
    ult::WaitEnd end = ult::WaitEnd::kTimedOut;
    const Slept slept = sleep(deadline_ns, cancellation_point(), &end);
    stand_still_if_over();
    if (slept != Slept::kToTheEnd) return slept;
    if (end != ult::WaitEnd::kInterrupted) return Slept::kToTheEnd;
    act_on_cancellation();
  }
}

bool let_others_run() noexcept {
  stand_still_if_over();
  if (!may(Act::kWait)) return false;
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
