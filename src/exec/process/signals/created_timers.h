// created_timers.h — the timers that a rank has made by timer_create (POSIX.1).
//
// The kernel's would signal the process, and so every rank. These send their signal to the rank
// that made them, on the clocks of real time and of processor time. What they do not know, libc
// keeps: notification by a thread (SIGEV_THREAD), none (SIGEV_NONE), and other clocks.
//
// CLOCK_REALTIME that is set later does not move a timer that is armed.
//
// Thread safety: any strand of the rank.

#pragma once

#include <signal.h>
#include <time.h>

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "exec/process/signals/timer.h"

namespace heddle::process::signals {

struct CreatedTimer {
  Timer timer;
  clockid_t clock;

  // The strand is one of the timer's rank.
  Timer::Times set(Timer::Times times);
  Timer::Times get();
  void forget();
  std::int64_t now() const noexcept;  // on `clock`

 private:
  bool is_on_processor_time() const noexcept;
};

class CreatedTimers {
 public:
  CreatedTimers() = default;
  CreatedTimers(CreatedTimers&&) = delete;

  // True if such a timer is made here, and not by libc. `event` may be null: SIGALRM.
  static bool makes(clockid_t clock, const sigevent* event) noexcept;

  // Null if no memory is left.
  CreatedTimer* make(clockid_t clock, const sigevent* event);
  // Null: it is libc's, or none.
  CreatedTimer* find(timer_t name) noexcept;
  void remove(CreatedTimer& timer);

 private:
  // Lock: guards the list of the timers that a rank has made; held across taking memory, and the
  // end of a timer.
  Mutex mutex_;
  std::vector<std::unique_ptr<CreatedTimer>> timers_ GUARDED_BY(mutex_);
};

}  // namespace heddle::process::signals
