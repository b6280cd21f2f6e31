// Sleeping and yielding let the worker run other ranks. A kernel thread of the program, and a
// program that nobody hosts, sleeps as libc does.

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "exec/libc/image/image.h"

using namespace heddle::libc_image;

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

// False: the caller must sleep by itself.
bool slept_for(long long duration) noexcept {
  return hooks() != nullptr && hooks()->sleep_until(now(CLOCK_MONOTONIC) + duration) != 0;
}

bool valid(const timespec* time) noexcept {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < kSecond;
}

}  // namespace

HEDDLE_EXPORT int nanosleep(const timespec* duration, timespec* rest) {
  static auto* const libc = next<int(const timespec*, timespec*)>("nanosleep");
  if (hooks() == nullptr || !valid(duration)) return libc(duration, rest);
  return slept_for(nanoseconds(*duration)) ? 0 : libc(duration, rest);
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
  return slept_for(duration) ? 0 : libc(clock, flags, time, rest);
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  static auto* const libc = next<unsigned(unsigned)>("sleep");
  return slept_for(seconds * kSecond) ? 0 : libc(seconds);
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  static auto* const libc = next<int(useconds_t)>("usleep");
  return slept_for(microseconds * 1000LL) ? 0 : libc(microseconds);
}

HEDDLE_EXPORT int thrd_sleep(const timespec* duration, timespec* rest) {
  static auto* const libc = next<int(const timespec*, timespec*)>("thrd_sleep");
  if (hooks() == nullptr || !valid(duration)) return libc(duration, rest);
  return slept_for(nanoseconds(*duration)) ? 0 : libc(duration, rest);
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
  if (sleeps && slept_for(time->tv_sec * kSecond + time->tv_usec * 1000LL)) {
    time->tv_sec = time->tv_usec = 0;
    return 0;
  }
  return libc(count, reads, writes, errors, time);
}

HEDDLE_EXPORT int poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  static auto* const libc = next<int(pollfd*, nfds_t, int)>("poll");
  if (count == 0 && milliseconds >= 0 && slept_for(milliseconds * 1'000'000LL)) return 0;
  return libc(descriptors, count, milliseconds);
}
