// timer.h — a timer of a rank: when it is due, and the signal that it sends then.
//
//   clock of the timer                         watched by
//   ----------------------------------------   -----------------------------------------
//   the time of day, or since the boot         the signal thread (signal_thread.h)
//   processor time of the rank or of a strand  the kernel's SIGPROF (processor_timers.h)
//
// Thread safety: what is due and how often is guarded by the lock of its watcher; the rest is
// constant.

#pragma once

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/intrusive_list.h"
#include "base/platform/futex.h"

namespace heddle::process::signals {

class RankSignals;
struct StrandSignals;

struct Timer : ListNode<> {
  // `sends`: with the number of the signal and what its handler is to be told.
  Timer(RankSignals& of, const siginfo_t& sends) noexcept : rank(of), info(sends) {}

  struct Times {
    std::int64_t left_ns;  // 0: not armed
    std::int64_t interval_ns;
  };
  // `now` on the timer's clock.
  Times times(std::int64_t now) const noexcept {
    if (!is_armed()) return {0, interval_ns};
    return {std::max<std::int64_t>(deadline_ns - now, 1), interval_ns};
  }
  void set(Times times, std::int64_t now) noexcept {
    deadline_ns = times.left_ns == 0 ? platform::kNever : now + times.left_ns;
    interval_ns = times.interval_ns;
    overrun = 0;
  }
  bool is_armed() const noexcept { return listed && deadline_ns != platform::kNever; }

  // The timer was due: when it is next. Notes what this expiration means for timer_getoverrun;
  // `pending`: the signal of an earlier one has not been taken.
  void expire(std::int64_t now, bool pending) noexcept {
    const std::int64_t missed = interval_ns == 0 ? 0 : (now - deadline_ns) / interval_ns;
    deadline_ns = interval_ns == 0 ? platform::kNever : deadline_ns + (missed + 1) * interval_ns;
    overrun = missed + (pending ? overrun + 1 : 0);
    if (info.si_code == SI_TIMER) info.si_overrun = reported_overrun();
  }

  int reported_overrun() const noexcept {
    return static_cast<int>(std::min<std::int64_t>(overrun, std::numeric_limits<int>::max()));
  }

  RankSignals& rank;
  siginfo_t info;
  const StrandSignals* strand = nullptr;  // whose processor time; null: the rank's

  bool listed = false;                          // its watcher knows it
  std::int64_t deadline_ns = platform::kNever;  // on its clock
  std::int64_t interval_ns = 0;                 // 0: once
  std::int64_t overrun = 0;                     // expirations without a signal since the last one
};

}  // namespace heddle::process::signals
