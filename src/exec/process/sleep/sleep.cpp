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
#include "exec/ult/wait.h"

namespace heddle::process {

namespace {

WaitEnd sleep_plainly(std::int64_t deadline_ns, ult::Interrupt* interrupt) {
  ult::Completion never;
  return ult::wait(
      never, {.deadline_ns = deadline_ns, .interrupt = interrupt, .alerts = ult::Alerts::kIgnores});
}

constinit std::atomic<const WaitsWithSignals*> with_signals{nullptr};

}  // namespace

void set_waits_with_signals(const WaitsWithSignals* waits) noexcept {
  with_signals.store(waits, std::memory_order_relaxed);
}

WaitEnd settle(WaitEnd end) {
  stand_still_if_over();
  if (end == WaitEnd::kCancelled) act_on_cancellation();
  if (end != WaitEnd::kAlerted) return end;
  if (const auto* const waits = with_signals.load(std::memory_order_relaxed)) {
    return waits->answer_alert();
  }
  ult::answer_alert();
  return end;
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

WaitEnd sleep_until(std::int64_t deadline_ns) {
  stand_still_if_over();
  if (!may(Act::kWait)) return WaitEnd::kNot;
  pthread_testcancel();
  const auto* const waits = with_signals.load(std::memory_order_relaxed);
  const auto sleep = waits != nullptr ? waits->sleep_until : sleep_plainly;
  WaitEnd end = WaitEnd::kCancelled;
  while (end == WaitEnd::kCancelled) end = settle(sleep(deadline_ns, cancellation_point()));
  return end;
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

WaitEnd Pauses::pause() {
  return sleep_until(platform::now_ns() + next_ns());
}

bool Pauses::wait() {
  const timespec length = {0, length_ns_};
  const WaitEnd end = pause();
  if (end != WaitEnd::kNot) return end != WaitEnd::kHandled;
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr) == 0;
}

}  // namespace heddle::process
