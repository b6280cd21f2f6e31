// alarm and setitimer under libc's names: of a hosted rank they are its own, and their signals too
// (exec/signals/courier.h). Timers on processor time are the process's.

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "exec/posix/exports/own_code.h"
#include "exec/posix/libc_calls.h"
#include "exec/signals/courier.h"
#include "exec/signals/signals.h"

using namespace heddle;
using posix::libc_calls;
using signals::Courier;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMicrosecond = 1000;

bool is_libcs(const void* caller) noexcept {
  return !signals::kept_here() || posix::is_own_code(caller);
}

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

void tell(Courier::Times times, itimerval* out) noexcept {
  if (out != nullptr) *out = {time_of(times.interval_ns), time_of(times.left_ns)};
}

signals::Timer& real_time() noexcept {
  return signals::strand_signals().rank->real_time;
}

}  // namespace

HEDDLE_EXPORT unsigned alarm(unsigned seconds) noexcept {
  if (is_libcs(__builtin_return_address(0))) return libc_calls().alarm(seconds);
  const std::int64_t left = Courier::instance().set(real_time(), {seconds * kSecond, 0}).left_ns;
  // To the nearest second, but not 0.
  return left == 0 ? 0
                   : static_cast<unsigned>((left + kSecond / 2) / kSecond + (left < kSecond / 2));
}

HEDDLE_EXPORT useconds_t ualarm(useconds_t first, useconds_t interval) noexcept {
  if (is_libcs(__builtin_return_address(0))) return libc_calls().ualarm(first, interval);
  const Courier::Times before =
      Courier::instance().set(real_time(), {first * kMicrosecond, interval * kMicrosecond});
  return static_cast<useconds_t>(before.left_ns / kMicrosecond);
}

HEDDLE_EXPORT int setitimer(__itimer_which_t which, const itimerval* wanted,
                            itimerval* old) noexcept {
  if (which != ITIMER_REAL || is_libcs(__builtin_return_address(0))) {
    return libc_calls().setitimer(which, wanted, old);
  }
  const itimerval value = wanted != nullptr ? *wanted : itimerval{};
  if (!is_valid(value.it_value) || !is_valid(value.it_interval)) {
    errno = EINVAL;
    return -1;
  }
  tell(Courier::instance().set(real_time(),
                               {nanoseconds(value.it_value), nanoseconds(value.it_interval)}),
       old);
  return 0;
}

HEDDLE_EXPORT int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  if (which != ITIMER_REAL || is_libcs(__builtin_return_address(0))) {
    return libc_calls().getitimer(which, value);
  }
  tell(Courier::instance().get(real_time()), value);
  return 0;
}

#endif
