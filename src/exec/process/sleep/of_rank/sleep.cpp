// Sleeping and yielding let the worker run other ranks. A kernel thread of the program, and a
// program without a host, sleeps as libc does.

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::libc_of_rank;

namespace {

constexpr long long kSecond = 1'000'000'000;

long long nanoseconds(const timespec& time) noexcept {
  return time.tv_sec >= (1LL << 33) ? (1LL << 33) * kSecond : time.tv_sec * kSecond + time.tv_nsec;
}

long long now(clockid_t clock) noexcept {
  timespec time = {};
  clock_gettime(clock, &time);
  return nanoseconds(time);
}

// False: the caller must sleep by itself. `left`: what a handler has cut off.
bool slept_for(long long duration, long long* left) {
  *left = 0;
  if (hooks() == nullptr) return false;
  const long long deadline = now(CLOCK_MONOTONIC) + duration;
  const int slept = hooks()->sleep_until(deadline);
  if (slept > 1) *left = deadline > now(CLOCK_MONOTONIC) ? deadline - now(CLOCK_MONOTONIC) : 1;
  return slept != 0;
}

int interrupted() noexcept {
  errno = EINTR;
  return -1;
}

void tell(long long left, timespec* rest) noexcept {
  if (left != 0 && rest != nullptr) *rest = {left / kSecond, left % kSecond};
}

bool valid(const timespec* time) noexcept {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < kSecond;
}

}  // namespace

HEDDLE_EXPORT int nanosleep(const timespec* duration, timespec* rest) {
  static auto* const libc = next<int(const timespec*, timespec*)>("nanosleep");
  if (hooks() == nullptr || !valid(duration)) return libc(duration, rest);
  long long left = 0;
  if (!slept_for(nanoseconds(*duration), &left)) return libc(duration, rest);
  tell(left, rest);
  return left == 0 ? 0 : interrupted();
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                  timespec* rest) {
  static auto* const libc =
      next<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  const bool known = clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME || clock == CLOCK_TAI ||
                     clock == CLOCK_BOOTTIME;
  if (hooks() == nullptr || !known || !valid(time)) return libc(clock, flags, time, rest);
  const long long until = nanoseconds(*time);
  const long long duration = (flags & TIMER_ABSTIME) != 0 ? until - now(clock) : until;
  long long left = 0;
  if (!slept_for(duration, &left)) return libc(clock, flags, time, rest);
  if ((flags & TIMER_ABSTIME) == 0) tell(left, rest);
  return left == 0 ? 0 : EINTR;
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  static auto* const libc = next<unsigned(unsigned)>("sleep");
  long long left = 0;
  if (!slept_for(seconds * kSecond, &left)) return libc(seconds);
  return static_cast<unsigned>(left / kSecond);  // libc cuts the rest, too
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  static auto* const libc = next<int(useconds_t)>("usleep");
  long long left = 0;
  if (!slept_for(microseconds * 1000LL, &left)) return libc(microseconds);
  return left == 0 ? 0 : interrupted();
}

HEDDLE_EXPORT int thrd_sleep(const timespec* duration, timespec* rest) {
  static auto* const libc = next<int(const timespec*, timespec*)>("thrd_sleep");
  if (hooks() == nullptr || !valid(duration)) return libc(duration, rest);
  long long left = 0;
  if (!slept_for(nanoseconds(*duration), &left)) return libc(duration, rest);
  tell(left, rest);
  return left == 0 ? 0 : -1;
}

HEDDLE_EXPORT int sched_yield() noexcept {
  static auto* const libc = next<int()>("sched_yield");
  return hooks() != nullptr && hooks()->yield() != 0 ? 0 : libc();
}

HEDDLE_EXPORT void thrd_yield() {
  sched_yield();
}

// select and poll without descriptors are old ways to sleep.
HEDDLE_EXPORT int select(int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* time) {
  static auto* const libc = next<int(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
  const bool sleeps = time != nullptr && reads == nullptr && writes == nullptr &&
                      errors == nullptr && time->tv_sec >= 0 && time->tv_usec >= 0;
  long long left = 0;
  if (sleeps && slept_for(time->tv_sec * kSecond + time->tv_usec * 1000LL, &left)) {
    if (left != 0) return interrupted();
    time->tv_sec = time->tv_usec = 0;
    return 0;
  }
  return libc(count, reads, writes, errors, time);
}

HEDDLE_EXPORT int poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  static auto* const libc = next<int(pollfd*, nfds_t, int)>("poll");
  long long left = 0;
  if (count == 0 && milliseconds >= 0 && slept_for(milliseconds * 1'000'000LL, &left)) {
    return left == 0 ? 0 : interrupted();
  }
  return libc(descriptors, count, milliseconds);
}
