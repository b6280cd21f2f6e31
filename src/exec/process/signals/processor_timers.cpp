#include "exec/process/signals/processor_timers.h"

#include <sys/time.h>

#include <algorithm>

#include "exec/process/signals/nudge.h"
#include "exec/process/signals/pending.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/process/time/processor_time.h"

namespace heddle::process::signals {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// The ranks' time lies behind the process's, so even a timer that is due much later needs a look
// now and then.
constexpr std::int64_t kShortestPeriod = kMillisecond, kLongestPeriod = 10 * kMillisecond;

// On the clock of the timer, which is one of the calling strand's rank.
std::int64_t now_of(const Timer& timer) noexcept {
  return timer.strand != nullptr ? process::processor_time_of_strand()
                                 : process::processor_time_of_rank();
}

}  // namespace

ProcessorTimers& ProcessorTimers::instance() noexcept {
  static ProcessorTimers* const made = new ProcessorTimers();
  return *made;
}

// A handler may be the next to ask, and may not take memory.
[[maybe_unused]] static const ProcessorTimers& made_at_load = ProcessorTimers::instance();

Timer::Times ProcessorTimers::set(Timer& timer, Timer::Times times) {
  timer.rank.pending.prepare();
  const std::int64_t now = now_of(timer);
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  const Timer::Times before = timer.times(now);
  timer.set(times, now);
  list(timer, times.left_ns != 0);
  return before;
}

Timer::Times ProcessorTimers::get(const Timer& timer) {
  const std::int64_t now = now_of(timer);
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  return timer.times(now);
}

void ProcessorTimers::forget(Timer& timer) {
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  list(timer, false);
}

void ProcessorTimers::remove(const RankSignals& rank) {
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  for (auto it = timers_.begin(); it != timers_.end();) {
    Timer& timer = *it;
    ++it;
    if (&timer.rank == &rank) list(timer, false);
  }
}

bool ProcessorTimers::tick(RankSignals& rank) noexcept {
  const std::int64_t now = process::processor_time_of_rank();
  const std::int64_t now_of_strand = process::processor_time_of_strand();
  const StrandSignals* const strand = &strand_signals();
  const Uninterrupted uninterrupted;
  // The interrupted code is no holder of the lock, since holders block signals.
  SpinGuard guard(lock_);
  bool noted = false;
  for (auto it = timers_.begin(); it != timers_.end();) {
    Timer& timer = *it;
    ++it;
    if (&timer.rank != &rank || (timer.strand != nullptr && timer.strand != strand)) continue;
    const std::int64_t time = timer.strand != nullptr ? now_of_strand : now;
    if (timer.deadline_ns > time) continue;
    timer.expire(time, (rank.pending.all() & bit(timer.info.si_signo)) != 0);
    rank.pending.note(timer.info);
    noted = true;
    if (!timer.is_armed()) list(timer, false);
  }
  return noted;
}

void ProcessorTimers::nudge_all() noexcept {
  const Uninterrupted uninterrupted;
  SpinGuard guard(lock_);
  for (const Timer& timer : timers_) {
    ult::Ult* const main = timer.rank.main.ult;
    const int thread = main != nullptr ? ult::kernel_thread_of(*main) : 0;
    if (thread != 0) nudge(thread, SIGPROF);
  }
}

void ProcessorTimers::list(Timer& timer, bool listed) {
  if (timer.listed && !listed) IntrusiveList<Timer>::erase(timer);
  if (!timer.listed && listed) timers_.push_back(timer);
  timer.listed = listed;
  any_.store(!timers_.empty(), std::memory_order_relaxed);
  arm_kernel();
}

void ProcessorTimers::arm_kernel() {
  std::int64_t period = timers_.empty() ? 0 : kLongestPeriod;
  for (const Timer& timer : timers_) {
    if (timer.interval_ns != 0) period = std::min(period, timer.interval_ns);
  }
  if (period != 0) period = std::max(period, kShortestPeriod);
  if (period == period_ns_) return;
  period_ns_ = period;
  const timeval time = {0, period / 1000};
  const itimerval wanted = {time, time};
  ::setitimer(ITIMER_PROF, &wanted, nullptr);
}

void ProcessorTimers::forget_all() noexcept {
  new (this) ProcessorTimers();
}

}  // namespace heddle::process::signals
