// Calls that wait for several descriptors, or for a time. Without descriptors they are old ways to sleep, and let the worker run
// other ranks as sleep does (exec/process/sleep/exports/sleep_exports.cpp). With a mask of signals they are libc's.

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>

#include "exec/process/waits/of_rank/descriptor_waits.h"

using namespace heddle::process_of_rank;

namespace {

constexpr long long kSecond = 1'000'000'000;
constexpr int kForEver = -1;

long long nanoseconds(const timespec& time) noexcept {
  return time.tv_sec >= (1LL << 33) ? (1LL << 33) * kSecond : time.tv_sec * kSecond + time.tv_nsec;
}

bool is_time(const timespec& time) noexcept {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < kSecond;
}

long long left_until(long long deadline) noexcept {
  const long long left = deadline - deadline_after(0);
  return left > 0 ? left : 0;
}

// How a wait for descriptors has ended: the call's result, or the time for which it is to be made again in the kernel.
struct Ended {
  bool has_result;
  int result;
  long long left;  // below 0: for ever
};

// attempt() is the call with no time: 0 if nothing is ready. `length` in ns, below 0: for ever.
template <class Attempt>
Ended wait_in_turn(const pollfd* wanted, nfds_t count, long long length, Attempt attempt) {
  int result = attempt();
  if (result != 0 || length == 0) return {true, result, 0};
  const long long deadline = deadline_after(length);
  const auto look = [&] { return (result = attempt()) != 0; };
  switch (wait_until_ready(look, wanted, count, deadline)) {
    case Waited::kHandled:
    case Waited::kRestarts:  // as in the kernel, for these calls
      errno = EINTR;
      return {true, -1, length < 0 ? kForEver : left_until(deadline)};
    case Waited::kReady:
    case Waited::kTimedOut:
      return {true, result, length < 0 ? kForEver : left_until(deadline)};
    case Waited::kNot:
      break;
  }
  return {false, 0, length < 0 ? kForEver : left_until(deadline)};
}

int libc_ppoll(pollfd* descriptors, nfds_t count, const timespec* time, const sigset_t* mask) {
  static auto* const libc = next<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
  return libc(descriptors, count, time, mask);
}

int libc_pselect(int count, fd_set* reads, fd_set* writes, fd_set* errors, const timespec* time,
                 const sigset_t* mask) {
  static auto* const libc =
      next<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)>("pselect");
  return libc(count, reads, writes, errors, time, mask);
}

// `length` below 0: for ever.
timespec* time_of(long long length, timespec* time) noexcept {
  if (length < 0) return nullptr;
  *time = {length / kSecond, length % kSecond};
  return time;
}

int poll_for(pollfd* descriptors, nfds_t count, long long length) {
  timespec time;
  const auto* const host = rank_hooks();
  if (host == nullptr || (count != 0 && host->waits.shares_worker() == 0)) {
    return libc_ppoll(descriptors, count, time_of(length, &time), nullptr);
  }
  const Ended ended = wait_in_turn(descriptors, count, length, [&] {
    return libc_ppoll(descriptors, count, time_of(0, &time), nullptr);
  });
  if (ended.has_result) return ended.result;
  return libc_ppoll(descriptors, count, time_of(ended.left, &time), nullptr);
}

}  // namespace

HEDDLE_EXPORT int poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  return poll_for(descriptors, count, milliseconds < 0 ? kForEver : milliseconds * 1'000'000LL);
}

HEDDLE_EXPORT int ppoll(pollfd* descriptors, nfds_t count, const timespec* time,
                        const sigset_t* mask) {
  if (mask != nullptr || (time != nullptr && !is_time(*time))) {
    return libc_ppoll(descriptors, count, time, mask);
  }
  return poll_for(descriptors, count, time == nullptr ? kForEver : nanoseconds(*time));
}

HEDDLE_EXPORT int __poll_chk(pollfd* descriptors, nfds_t count, int milliseconds, size_t room) {
  if (count > room / sizeof *descriptors) abort();
  return poll(descriptors, count, milliseconds);
}

HEDDLE_EXPORT int __ppoll_chk(pollfd* descriptors, nfds_t count, const timespec* time,
                              const sigset_t* mask, size_t room) {
  if (count > room / sizeof *descriptors) abort();
  return ppoll(descriptors, count, time, mask);
}

namespace {

// The three sets of a select, with one bit for each descriptor.
struct Sets {
  fd_set sets[3];

  // A set that the program does not give is empty here.
  void copy_from(fd_set* const (&from)[3], size_t bytes) noexcept {
    for (int i = 0; i < 3; ++i) {
      memset(&sets[i], 0, sizeof sets[i]);
      if (from[i] != nullptr) memcpy(&sets[i], from[i], bytes);
    }
  }
  void copy_to(fd_set* const (&to)[3], size_t bytes) const noexcept {
    for (int i = 0; i < 3; ++i) {
      if (to[i] != nullptr) memcpy(to[i], &sets[i], bytes);
    }
  }
  short events_of(int descriptor) const noexcept {
    constexpr short kEvents[3] = {POLLIN, POLLOUT, POLLPRI};
    short events = 0;
    for (int i = 0; i < 3; ++i) {
      if (FD_ISSET(descriptor, &sets[i])) events = static_cast<short>(events | kEvents[i]);
    }
    return events;
  }
};

// `left`: what remains of `length`.
int select_for(int count, fd_set* const (&given)[3], long long length, long long* left) {
  const bool sleeps = given[0] == nullptr && given[1] == nullptr && given[2] == nullptr;
  timespec time;
  const auto* const host = rank_hooks();
  if (host == nullptr || count < 0 || count > FD_SETSIZE ||
      (!sleeps && host->waits.shares_worker() == 0)) {
    const long long deadline = deadline_after(length);
    const int result =
        libc_pselect(count, given[0], given[1], given[2], time_of(length, &time), nullptr);
    *left = left_until(deadline);
    return result;
  }
  constexpr size_t kWord = 8 * sizeof(long);
  const size_t bytes = (static_cast<size_t>(count) + kWord - 1) / kWord * sizeof(long);
  Sets asked, found;
  asked.copy_from(given, bytes);
  pollfd wanted[FD_SETSIZE];
  nfds_t any = 0;
  for (int i = 0; i < count; ++i) {
    if (const short events = asked.events_of(i)) wanted[any++] = {i, events, 0};
  }
  const Ended ended = wait_in_turn(wanted, any, length, [&] {
    found = asked;
    return libc_pselect(count, &found.sets[0], &found.sets[1], &found.sets[2], time_of(0, &time),
                        nullptr);
  });
  *left = ended.left;
  if (!ended.has_result) {
    return libc_pselect(count, given[0], given[1], given[2], time_of(ended.left, &time), nullptr);
  }
  if (ended.result >= 0) found.copy_to(given, bytes);
  return ended.result;
}

}  // namespace

HEDDLE_EXPORT int select(int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* time) {
  static auto* const libc = next<int(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
  if (time != nullptr && (time->tv_sec < 0 || time->tv_usec < 0)) {
    return libc(count, reads, writes, errors, time);
  }
  long long left = 0;
  const long long length =
      time == nullptr ? kForEver : nanoseconds({time->tv_sec, 0}) + time->tv_usec * 1000LL;
  const int result = select_for(count, {reads, writes, errors}, length, &left);
  if (time != nullptr) *time = {left / kSecond, left % kSecond / 1000};
  return result;
}

HEDDLE_EXPORT int pselect(int count, fd_set* reads, fd_set* writes, fd_set* errors,
                          const timespec* time, const sigset_t* mask) {
  if (mask != nullptr || (time != nullptr && !is_time(*time))) {
    return libc_pselect(count, reads, writes, errors, time, mask);
  }
  long long left = 0;
  return select_for(count, {reads, writes, errors}, time == nullptr ? kForEver : nanoseconds(*time),
                    &left);
}

HEDDLE_EXPORT int epoll_pwait(int poller, epoll_event* events, int most, int milliseconds,
                              const sigset_t* mask) {
  static auto* const libc = next<int(int, epoll_event*, int, int, const sigset_t*)>("epoll_pwait");
  if (mask != nullptr || !puts_off_waits()) return libc(poller, events, most, milliseconds, mask);
  const pollfd wanted = {poller, POLLIN, 0};
  const long long length = milliseconds < 0 ? kForEver : milliseconds * 1'000'000LL;
  const Ended ended =
      wait_in_turn(&wanted, 1, length, [&] { return libc(poller, events, most, 0, nullptr); });
  if (ended.has_result) return ended.result;
  const long long left = (ended.left + 999'999) / 1'000'000;
  return libc(poller, events, most, length < 0 ? kForEver : static_cast<int>(left), nullptr);
}

HEDDLE_EXPORT int epoll_wait(int poller, epoll_event* events, int most, int milliseconds) {
  return epoll_pwait(poller, events, most, milliseconds, nullptr);
}
