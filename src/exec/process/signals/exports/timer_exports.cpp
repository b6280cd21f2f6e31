// alarm, setitimer and timer_create under libc's names: of a hosted rank they are its own, and
// their signals too (exec/process/signals/timer.h).

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "exec/process/exports/libc.h"
#include "exec/process/own/own.h"
#include "exec/process/signals/created_timers.h"
#include "exec/process/signals/dispatch.h"
#include "exec/process/signals/exports/callers.h"
#include "exec/process/signals/processor_timers.h"
#include "exec/process/signals/signal_thread.h"
#include "exec/process/threads/notices.h"
#include "exec/process/time/processor_time.h"

using namespace heddle;
namespace signals = heddle::process::signals;
using signals::CreatedTimer;
using signals::CreatedTimers;
using signals::is_libcs;
using signals::ProcessorTimers;
using signals::SignalThread;
using Times = signals::Timer::Times;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMicrosecond = 1000;

std::int64_t nanoseconds(const timeval& time) noexcept {
  return time.tv_sec * kSecond + time.tv_usec * kMicrosecond;
}

timeval time_of(std::int64_t nanoseconds) noexcept {
  const std::int64_t microseconds = (nanoseconds + kMicrosecond - 1) / kMicrosecond;
  return {microseconds / (kSecond / kMicrosecond), microseconds % (kSecond / kMicrosecond)};
}

bool is_valid(const timeval& time) noexcept {
  return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < kSecond / kMicrosecond;
}

void tell(Times times, itimerval* out) noexcept {
  if (out != nullptr) *out = {time_of(times.interval_ns), time_of(times.left_ns)};
}

signals::Timer& real_time() noexcept {
  return signals::strand_signals().rank->real_time;
}

// ITIMER_PROF or ITIMER_VIRTUAL.
signals::Timer& processor_time(__itimer_which_t which) noexcept {
  signals::RankSignals& rank = *signals::strand_signals().rank;
  return which == ITIMER_PROF ? rank.profile : rank.virtual_time;
}

// True if the kernel's own timer serves. For processor time it does where the rank is alone in its
// job.
bool is_kernels(__itimer_which_t which) noexcept {
  return which != ITIMER_REAL && ((which != ITIMER_PROF && which != ITIMER_VIRTUAL) ||
                                  process::processor_time_of_rank() < 0);
}

Times set(__itimer_which_t which, Times times) noexcept {
  if (which == ITIMER_REAL) return SignalThread::instance().set(real_time(), times);
  // The kernel's SIGPROF is what looks at the timers.
  if (signals::dispatch_from_now_on(SIGPROF) != 0) return {};
  const Times before = ProcessorTimers::instance().set(processor_time(which), times);
  // A signal of before, which found the rank in MPI, comes before the timer changes, as in a
  // process.
  signals::run_pending();
  return before;
}

std::int64_t nanoseconds(const timespec& time) noexcept {
  return time.tv_sec * kSecond + time.tv_nsec;
}

bool is_valid(const timespec& time) noexcept {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < kSecond;
}

void tell(Times times, itimerspec* out) noexcept {
  if (out == nullptr) return;
  *out = {{times.interval_ns / kSecond, times.interval_ns % kSecond},
          {times.left_ns / kSecond, times.left_ns % kSecond}};
}

int set(CreatedTimer& timer, int flags, const itimerspec& wanted, itimerspec* old) noexcept {
  if (!is_valid(wanted.it_value) || !is_valid(wanted.it_interval)) {
    errno = EINVAL;
    return -1;
  }
  std::int64_t left = nanoseconds(wanted.it_value);
  if (left != 0 && (flags & TIMER_ABSTIME) != 0) {
    left = std::max<std::int64_t>(left - timer.now(), 1);
  }
  tell(timer.set({left, nanoseconds(wanted.it_interval)}), old);
  signals::run_pending();  // see set()
  return 0;
}

// Null if libc keeps it.
CreatedTimer* find(timer_t name, const void* caller) noexcept {
  return is_libcs(caller) ? nullptr : process::own().timers.get().find(name);
}

}  // namespace

HEDDLE_EXPORT unsigned alarm(unsigned seconds) noexcept {
  if (is_libcs(__builtin_return_address(0))) return libc().alarm(seconds);
  const std::int64_t left =
      SignalThread::instance().set(real_time(), {seconds * kSecond, 0}).left_ns;
  // Rounds to the nearest second, but not to 0.
  return left == 0 ? 0
                   : static_cast<unsigned>((left + kSecond / 2) / kSecond + (left < kSecond / 2));
}

HEDDLE_EXPORT useconds_t ualarm(useconds_t first, useconds_t interval) noexcept {
  if (is_libcs(__builtin_return_address(0))) return libc().ualarm(first, interval);
  const Times before =
      SignalThread::instance().set(real_time(), {first * kMicrosecond, interval * kMicrosecond});
  return static_cast<useconds_t>(before.left_ns / kMicrosecond);
}

HEDDLE_EXPORT int setitimer(__itimer_which_t which, const itimerval* wanted,
                            itimerval* old) noexcept {
  if (is_libcs(__builtin_return_address(0))) return libc().setitimer(which, wanted, old);
  if (is_kernels(which)) {
    const int result = libc().setitimer(which, wanted, old);
    if (result == 0) signals::run_pending();  // see set()
    return result;
  }
  const itimerval value = wanted != nullptr ? *wanted : itimerval{};
  if (!is_valid(value.it_value) || !is_valid(value.it_interval)) {
    errno = EINVAL;
    return -1;
  }
  tell(set(which, {nanoseconds(value.it_value), nanoseconds(value.it_interval)}), old);
  return 0;
}

HEDDLE_EXPORT int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  if (is_libcs(__builtin_return_address(0)) || is_kernels(which)) {
    return libc().getitimer(which, value);
  }
  tell(which == ITIMER_REAL ? SignalThread::instance().get(real_time())
                            : ProcessorTimers::instance().get(processor_time(which)),
       value);
  return 0;
}

HEDDLE_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* made) noexcept {
  if (is_libcs(__builtin_return_address(0))) return libc().timer_create(clock, event, made);
  if (!CreatedTimers::makes(clock, event)) {
    sigevent copy = event != nullptr ? *event : sigevent{};
    process::notify_in_rank(&copy);
    return libc().timer_create(clock, event != nullptr ? &copy : nullptr, made);
  }
  CreatedTimer* const timer = signals::dispatch_from_now_on(SIGPROF) == 0
                                  ? process::own().timers.get().make(clock, event)
                                  : nullptr;
  if (timer == nullptr) {
    errno = EAGAIN;
    return -1;
  }
  *made = timer;
  return 0;
}

HEDDLE_EXPORT int timer_delete(timer_t name) noexcept {
  CreatedTimer* const timer = find(name, __builtin_return_address(0));
  if (timer == nullptr) return libc().timer_delete(name);
  process::own().timers.get().remove(*timer);
  return 0;
}

HEDDLE_EXPORT int timer_settime(timer_t name, int flags, const itimerspec* wanted,
                                itimerspec* old) noexcept {
  CreatedTimer* const timer = find(name, __builtin_return_address(0));
  return timer == nullptr ? libc().timer_settime(name, flags, wanted, old)
                          : set(*timer, flags, *wanted, old);
}

HEDDLE_EXPORT int timer_gettime(timer_t name, itimerspec* value) noexcept {
  CreatedTimer* const timer = find(name, __builtin_return_address(0));
  if (timer == nullptr) return libc().timer_gettime(name, value);
  tell(timer->get(), value);
  return 0;
}

HEDDLE_EXPORT int timer_getoverrun(timer_t name) noexcept {
  CreatedTimer* const timer = find(name, __builtin_return_address(0));
  return timer == nullptr ? libc().timer_getoverrun(name) : timer->timer.reported_overrun();
}

#endif
