// signal_thread.h — the kernel thread that brings signals to ranks: those of timers, those from
// outside of the process, and those still pending because their strand could not be interrupted
// when they came.
//
// It sleeps until a timer is due or it is called. While something is pending for a strand that
// runs, it nudges the strand again and again. A program can be interrupted in its own code and in
// system calls, so one of the next nudges succeeds. A strand that waits is not nudged but alerted
// (ult/alert.h). The signal thread itself blocks all signals.
//
// Thread safety: any thread.

#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/intrusive_list.h"
#include "base/mutex.h"
#include "exec/process/signals/pending.h"
#include "exec/process/signals/timer.h"

namespace heddle::process::signals {

class RankSignals;

class SignalThread {
 public:
  // Never destroyed.
  static SignalThread& instance() noexcept;

  // Called when a rank begins and ends.
  void add(RankSignals& rank);
  void remove(RankSignals& rank);

  // Called when some rank sets actions of its own for these signals, blocks them or waits for them.
  void expect(Mask signals) noexcept;

  // Called in handlers: passes a signal of the process on to every rank that takes it; false if
  // none has ever expected it. If none takes it now, the signal thread sends it to the process once
  // more, which is then told by is_given_back().
  bool pass_on(const siginfo_t& info) noexcept;
  static bool is_given_back(const siginfo_t& info) noexcept;

  // Tells the signal thread that something has become pending. In signal handlers call ring() in
  // place of it; look() or expect() must have been called before.
  void look();
  void ring() noexcept;

  // Returns the old times. left_ns 0 disarms.
  Timer::Times set(Timer& timer, Timer::Times times);
  Timer::Times get(const Timer& timer);
  void forget(Timer& timer);

  // Called in the child of a fork, which has one thread: the signal thread's is gone, and so are
  // the timers.
  void forget_all() noexcept NO_THREAD_SAFETY_ANALYSIS;

 private:
  void start() EXCLUDES(mutex_);
  static void* thread_main(void* self);
  void run();
  std::int64_t round() EXCLUDES(mutex_);  // returns until when to sleep
  void fire(Timer& timer, std::int64_t now) REQUIRES(mutex_);
  void bring_from_outside() REQUIRES(mutex_);
  static void give_back(int signal);
  bool nudge(RankSignals& rank);

  // Handlers write it, too.
  std::atomic<std::uint32_t> bell_{0};
  std::atomic<Mask> expected_{0};
  std::atomic<Mask> outside_{0};
  std::array<siginfo_t, kSignals>
      outside_infos_{};  // the last of each; a race tells another sender

  // Lock: guards the ranks and timers that the signal thread watches; held across the locks of a
  // rank's signals; new in a child of fork.
  Mutex mutex_;
  bool runs_ GUARDED_BY(mutex_) = false;
  std::vector<RankSignals*> ranks_ GUARDED_BY(mutex_);
  IntrusiveList<Timer> timers_ GUARDED_BY(mutex_);
};

}  // namespace heddle::process::signals
