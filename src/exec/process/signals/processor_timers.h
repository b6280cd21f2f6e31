// processor_timers.h — timers of ranks on processor time: setitimer with ITIMER_PROF and
// ITIMER_VIRTUAL, and timer_create with a clock of processor time.
//
// The kernel counts the processor time of the process, and so the time of all its ranks. While a
// timer is armed, the kernel's own ITIMER_PROF sends SIGPROF to a thread that computes, every few
// milliseconds of the process's time. The handler charges the rank that it has interrupted with its
// time so far and looks whether a timer of this rank is due:
//
//   kernel's SIGPROF ──► tick(rank that is running) ──► rank's account ≥ deadline ?
//                                                       ──► its signal is pending
//
// A rank that waits uses no processor time, so none of its timers can become due. All processor
// time counts as user time (process/time/processor_time.h), so ITIMER_VIRTUAL is ITIMER_PROF with
// another signal.
//
// A rank that is alone in its job has the process's time, and the kernel's timers (posix/exports).
//
// Thread safety: any strand of the rank; tick in handlers.

#pragma once

#include <atomic>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/process/signals/timer.h"

namespace heddle::process::signals {

class ProcessorTimers {
 public:
  // Never destroyed.
  static ProcessorTimers& instance() noexcept;

  // Sets a timer of the calling strand's rank. Returns the old times. left_ns 0 disarms.
  Timer::Times set(Timer& timer, Timer::Times times);
  Timer::Times get(const Timer& timer);
  void forget(Timer& timer);
  // Forgets all timers of a rank that ends.
  void remove(const RankSignals& rank);

  // Called in the handler of the kernel's SIGPROF, on a strand of `rank`. True: something has
  // become pending.
  bool tick(RankSignals& rank) noexcept;

  // Called in the handler of the kernel's SIGPROF, on a thread that runs no rank: has all ranks
  // that have timers and run look.
  void nudge_all() noexcept;

  // True while a timer is armed. In handlers, too.
  bool any() const noexcept { return any_.load(std::memory_order_relaxed); }

  // Called in the child of a fork, which has no timers.
  void forget_all() noexcept NO_THREAD_SAFETY_ANALYSIS;

 private:
  void list(Timer& timer, bool listed) REQUIRES(lock_);
  void arm_kernel() REQUIRES(lock_);

  // Lock: guards the timers on processor time of all ranks; held across reading and setting the
  // kernel's timer; its holder has all signals blocked.
  SpinLock lock_;
  IntrusiveList<Timer> timers_ GUARDED_BY(lock_);
  std::atomic<bool> any_{false};
  std::int64_t period_ns_ GUARDED_BY(lock_) = 0;  // of the kernel's timer; 0: off
};

}  // namespace heddle::process::signals
