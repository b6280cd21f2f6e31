// select and poll without descriptors are old ways to sleep. They let the worker run other ranks, as sleep and its kin do
// (exec/process/sleep/exports/sleep_exports.cpp). A kernel thread of the program, and a program without a host, sleeps as libc does.

#include <errno.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>

#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process_of_rank;

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
  const int slept = hooks()->sleep.until(deadline);
  if (slept > 1) *left = deadline > now(CLOCK_MONOTONIC) ? deadline - now(CLOCK_MONOTONIC) : 1;
  return slept != 0;
}

int interrupted() noexcept {
  errno = EINTR;
  return -1;
}

}  // namespace

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
