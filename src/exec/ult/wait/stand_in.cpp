#include "exec/ult/wait/stand_in.h"

#include <algorithm>

#include "base/platform/clock.h"
#include "base/platform/futex.h"
#include "exec/ult/idle/bell_place.h"
#include "exec/ult/own_sleep.h"
#include "exec/ult/run/lent_worker.h"
#include "exec/ult/wait/kernel_strand.h"
#include "exec/ult/wait/kernel_wait.h"
#include "exec/ult/wait/lending.h"

namespace heddle::ult {

namespace {

constexpr WaitNote kNoTask = {"the stand-in", [](const void*) -> std::string { return "a task"; },
                              nullptr, WaitReason::kNoTask};

// True if work goes on that no thread waits for.
bool is_wanted() noexcept {
  return work_under_way() != 0 && threads_that_wait() == 0;
}

// relaxed: a wake-up of the strand follows, and orders it.
bool is_set(const std::atomic<bool>& ends) noexcept {
  return ends.load(std::memory_order_relaxed);
}

}  // namespace

void StandIn::main(const std::atomic<bool>& ends) noexcept {
  while (!is_set(ends)) {
    run_ready(worker_);
    if (is_neglected_ && is_wanted()) {
      attend(ends);
    } else if (quiet_periods_ >= kQuietPeriods) {
      doze(ends);
    } else {
      watch();
    }
  }
}

void StandIn::watch() noexcept {
  forget_looks();
  const std::uint64_t switches = worker_.switches();
  strand_.doze_until(platform::now_ns() + period_ns_);
  is_neglected_ = !others_have_looked() && threads_that_wait() == 0;
  quiet_periods_ = worker_.switches() == switches ? quiet_periods_ + 1 : 0;
  period_ns_ = is_wanted() ? kShortPeriodNs : std::min(2 * period_ns_, kLongPeriodNs);
}

void StandIn::attend(const std::atomic<bool>& ends) noexcept {
  forget_looks();
  bool goes_on = true;
  while (goes_on) {
    const bool sleeps = begin_sleep(LentWorker::kAttended);
    if (sleeps) {
      if (is_wanted() && !is_set(ends)) strand_.wait_until(deadline_ns_);
      worker_.show_watched();
    }
    const bool has_run = run_ready(worker_);
    goes_on = (sleeps || has_run) && !others_have_looked() && is_wanted() && !is_set(ends);
  }
  is_neglected_ = false;
  quiet_periods_ = 0;
  period_ns_ = kShortPeriodNs;
}

void StandIn::doze(const std::atomic<bool>& ends) noexcept {
  quiet_periods_ = 0;
  if (!begin_sleep(LentWorker::kUnwatched)) return;
  if (!is_wanted() && !is_set(ends)) doze_asleep();
  worker_.show_watched();
  period_ns_ = kShortPeriodNs;
}

// Where the worker's timers only ask it counts as a thread that sleeps for good (own_sleep.h). Its
// dozes are no steps: between two moments of a proof it wakes up for ults that ask. What else it
// lets run takes steps itself.
void StandIn::doze_asleep() noexcept {
  if (!timers_only_ask_) {
    strand_.doze_until(deadline_ns_);
    return;
  }
  KernelWait& own = kernel_wait;
  own.note.store(&kNoTask, std::memory_order_relaxed);
  {
    const SleepForGood asleep;
    strand_.doze_until(deadline_ns_);
    platform::Bell* const bell = platform::now_ns() < deadline_ns_ ? nullptr : host_bell();
    if (bell != nullptr) bell->ring_for_itself();
  }
  own.note.store(nullptr, std::memory_order_relaxed);
}

// I3. False: there is something to run, or another thread has the worker now.
bool StandIn::begin_sleep(std::uint32_t word) noexcept {
  if (!take_worker()) return false;
  const bool sleeps = worker_.leave_unwatched(word, &deadline_ns_);
  timers_only_ask_ = worker_.timers_only_ask();
  give_worker_back();
  return sleeps;
}

}  // namespace heddle::ult
