// Sleeps and yields under libc's names, for programs of mpicc and of MPIX_Run and for libraries
// that ranks share. select and poll, which sleep where they have no descriptors, are in
// libheddle_libc.so.

#include <sched.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/platform/clock.h"
#include "base/standing.h"
#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/locks/waiting.h"
#include "exec/process/sleep/sleep.h"

using namespace heddle;
using process::is_own_code;

// Under ThreadSanitizer sleeps are libc's, see thread_exports.cpp.
#if !defined(__SANITIZE_THREAD__)

namespace {

constexpr long kNanoseconds = 1'000'000'000;

// False for the clocks of processor time, whose seconds are others.
bool is_clock(clockid_t clock) noexcept {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_TAI ||
         clock == CLOCK_BOOTTIME;
}

std::int64_t now_on(clockid_t clock) noexcept {
  timespec now = {};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * kNanoseconds + now.tv_nsec;
}

// An error number, as clock_nanosleep returns it.
int sleep_on(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  std::int64_t deadline_ns = 0;
  if (time->tv_sec >= 0 && may(Act::kPark) && is_clock(clock) &&
      process::deadline_of(CLOCK_MONOTONIC, time, &deadline_ns)) {
    if (!absolute) {
      deadline_ns += platform::now_ns();
    } else if (clock != CLOCK_MONOTONIC) {
      deadline_ns += platform::now_ns() - now_on(clock);
    }
    const WaitEnd slept = process::sleep_until(deadline_ns);
    if (slept == WaitEnd::kTimedOut) return 0;
    if (slept != WaitEnd::kNot) {
      const std::int64_t left = std::max<std::int64_t>(deadline_ns - platform::now_ns(), 0);
      if (!absolute && rest != nullptr) *rest = {left / kNanoseconds, left % kNanoseconds};
      return EINTR;
    }
  }
  return libc().clock_nanosleep(clock, flags, time, rest);
}

int sleep_for(const timespec* time, timespec* rest) {
  const int error = sleep_on(CLOCK_REALTIME, 0, time, rest);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

HEDDLE_EXPORT int nanosleep(const timespec* time, timespec* rest) {
  if (is_own_code(__builtin_return_address(0))) return libc().nanosleep(time, rest);
  return sleep_for(time, rest);
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                  timespec* rest) {
  if (is_own_code(__builtin_return_address(0))) {
    return libc().clock_nanosleep(clock, flags, time, rest);
  }
  return sleep_on(clock, flags, time, rest);
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  const timespec time = {static_cast<time_t>(seconds), 0};
  timespec rest = {};
  return sleep_for(&time, &rest) == 0 ? 0 : static_cast<unsigned>(rest.tv_sec);
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  const long nanoseconds = long{microseconds} * 1000;
  const timespec time = {nanoseconds / kNanoseconds, nanoseconds % kNanoseconds};
  return sleep_for(&time, nullptr);
}

HEDDLE_EXPORT int thrd_sleep(const timespec* time, timespec* rest) {
  const int error = sleep_on(CLOCK_REALTIME, 0, time, rest);
  return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

#endif

HEDDLE_EXPORT int sched_yield() noexcept {
  if (!is_own_code(__builtin_return_address(0)) && process::let_others_run()) return 0;
  return libc().sched_yield();
}

HEDDLE_EXPORT void thrd_yield() {
  if (!process::let_others_run()) libc().sched_yield();
}
