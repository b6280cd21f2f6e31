// Calls that wait for several descriptors, or for a time. Without descriptors they are old ways to
// sleep, and let the worker run other ranks as sleep does
// (exec/process/sleep/exports/sleep_exports.cpp).
//
// With a mask of signals a ult always waits in the scheduler. It sees a signal that comes before it
// parks, and the kernel would not: a ult's mask is no kernel thread's (exec/process/signals).

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>

#include "exec/process/waits/of_rank/descriptor_waits.h"
#include "exec/process/waits/of_rank/named_sets.h"

using heddle::WaitEnd;
using namespace heddle::process::of_rank;

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

// How a wait for descriptors has ended: the call's result, or the time for which it is to be made
// again in the kernel.
struct Ended {
  bool has_result;
  int result;
  long long left;  // below 0: for ever
};

// A call's own mask of signals, for the time of the call: the strand's, if the strand's is kept by
// the host; else the kernel's, for libc's function to set. Where the strand is unwound in the call,
// or leaves it by longjmp, the mask stays set, as after the kernel's call; so there is no
// destructor, which would need libstdc++.
class OwnMask {
 public:
  explicit OwnMask(const sigset_t* mask) noexcept
      : host_(mask != nullptr ? rank_hooks() : nullptr),
        is_set_(host_ != nullptr && host_->waits.swap_mask(mask, &before_) != 0),
        handled_(is_set_ ? host_->waits.handlers_run() : 0),
        for_libc_(is_set_ ? nullptr : mask) {}
  OwnMask(OwnMask&&) = delete;

  // Call it last. Returns the call's result. errno stays.
  int give_back(int result) const {
    if (!is_set_) return result;
    const int error = errno;
    sigset_t own;
    host_->waits.swap_mask(&before_, &own);
    host_->waits.run_pending_handlers();
    errno = error;
    return result;
  }

  bool is_set() const noexcept { return is_set_; }
  // What libc's function is to set; null: nothing.
  const sigset_t* for_libc() const noexcept { return for_libc_; }
  // True if a handler of the program has run since the mask was set.
  bool has_let_in() const noexcept { return is_set_ && host_->waits.handlers_run() != handled_; }
  // Runs the handlers of pending signals, and then returns has_let_in().
  bool lets_in() const {
    if (is_set_) host_->waits.run_pending_handlers();
    return has_let_in();
  }

 private:
  sigset_t before_;
  const heddle_libc_hooks* const host_;
  const bool is_set_;
  const unsigned long handled_;
  const sigset_t* const for_libc_;
};

// attempt() is the call with no time: 0 if nothing is ready. `length` in ns, below 0: for ever.
template <class Attempt>
Ended wait_in_turn(const pollfd* wanted, nfds_t count, long long length, const OwnMask& mask,
                   Attempt attempt) {
  int result = attempt();
  const auto ended = [&](long long left) -> Ended {
    if (result != 0 || !mask.has_let_in()) return {true, result, left};
    errno = EINTR;
    return {true, -1, left};
  };
  // What is ready comes before what is pending, as in the kernel.
  if (result != 0 || mask.lets_in() || length == 0) return ended(length);
  const long long deadline = deadline_after(length);
  const auto look = [&] { return (result = attempt()) != 0 || mask.has_let_in(); };
  switch (wait_until_ready(look, wanted, count, deadline)) {
    case WaitEnd::kHandled:
    case WaitEnd::kRestarts:  // as in the kernel, for these calls
      errno = EINTR;
      return {true, -1, length < 0 ? kForEver : left_until(deadline)};
    case WaitEnd::kNot:
      if (mask.has_let_in()) return ended(length < 0 ? kForEver : left_until(deadline));
      break;
    default:
      return ended(length < 0 ? kForEver : left_until(deadline));
  }
  return {false, 0, length < 0 ? kForEver : left_until(deadline)};
}

int libc_ppoll(pollfd* descriptors, nfds_t count, const timespec* time, const sigset_t* mask) {
  return libc().ppoll(descriptors, count, time, mask);
}

int libc_pselect(int count, fd_set* reads, fd_set* writes, fd_set* errors, const timespec* time,
                 const sigset_t* mask) {
  return libc().pselect(count, reads, writes, errors, time, mask);
}

// `length` below 0: for ever.
timespec* time_of(long long length, timespec* time) noexcept {
  if (length < 0) return nullptr;
  *time = {length / kSecond, length % kSecond};
  return time;
}

// True if a call should wait in the scheduler, and not in the kernel.
bool waits_here(bool only_sleeps, const OwnMask& mask) noexcept {
  const auto* const host = rank_hooks();
  if (host == nullptr || mask.for_libc() != nullptr) return false;
  return only_sleeps || mask.is_set() || host->waits.shares_worker() != 0;
}

int poll_with(const OwnMask& mask, pollfd* descriptors, nfds_t count, long long length) {
  timespec time;
  if (!waits_here(count == 0, mask)) {
    return libc_ppoll(descriptors, count, time_of(length, &time), mask.for_libc());
  }
  const Ended ended = wait_in_turn(descriptors, count, length, mask, [&] {
    return libc_ppoll(descriptors, count, time_of(0, &time), nullptr);
  });
  if (ended.has_result) return ended.result;
  return libc_ppoll(descriptors, count, time_of(ended.left, &time), nullptr);
}

int poll_for(pollfd* descriptors, nfds_t count, long long length, const sigset_t* own_mask) {
  return poll_named(descriptors, count, [&](pollfd* named) {
    const OwnMask mask(own_mask);
    return mask.give_back(poll_with(mask, named, count, length));
  });
}

}  // namespace

HEDDLE_EXPORT int ppoll(pollfd* descriptors, nfds_t count, const timespec* time,
                        const sigset_t* mask) {
  if (time != nullptr && !is_time(*time)) return libc_ppoll(descriptors, count, time, mask);
  return poll_for(descriptors, count, time == nullptr ? kForEver : nanoseconds(*time), mask);
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
int select_with(const OwnMask& mask, int count, fd_set* const (&given)[3], long long length,
                long long* left) {
  const bool sleeps = given[0] == nullptr && given[1] == nullptr && given[2] == nullptr;
  timespec time;
  if (count < 0 || count > FD_SETSIZE || !waits_here(sleeps, mask)) {
    const long long deadline = deadline_after(length);
    const int result =
        libc_pselect(count, given[0], given[1], given[2], time_of(length, &time), mask.for_libc());
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
  const Ended ended = wait_in_turn(wanted, any, length, mask, [&] {
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

int select_for(int count, fd_set* const (&given)[3], long long length, const sigset_t* own_mask,
               long long* left) {
  return select_named(count, given, [&](int most, GivenSets named) {
    const OwnMask mask(own_mask);
    return mask.give_back(select_with(mask, most, named, length, left));
  });
}

}  // namespace

HEDDLE_EXPORT int select(int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* time) {
  if (time != nullptr && (time->tv_sec < 0 || time->tv_usec < 0)) {
    return libc().select(count, reads, writes, errors, time);
  }
  long long left = 0;
  const long long length =
      time == nullptr ? kForEver : nanoseconds({time->tv_sec, 0}) + time->tv_usec * 1000LL;
  const int result = select_for(count, {reads, writes, errors}, length, nullptr, &left);
  if (time != nullptr) *time = {left / kSecond, left % kSecond / 1000};
  return result;
}

HEDDLE_EXPORT int pselect(int count, fd_set* reads, fd_set* writes, fd_set* errors,
                          const timespec* time, const sigset_t* mask) {
  if (time != nullptr && !is_time(*time)) {
    return libc_pselect(count, reads, writes, errors, time, mask);
  }
  long long left = 0;
  return select_for(count, {reads, writes, errors}, time == nullptr ? kForEver : nanoseconds(*time),
                    mask, &left);
}

namespace {

// in_kernel(length, mask) is libc's function.
template <class InKernel>
int epoll_for(int poller, epoll_event* events, int most, long long length, const sigset_t* own_mask,
              InKernel in_kernel) {
  const OwnMask mask(length != 0 ? own_mask : nullptr);  // without a time it lets no signal in
  if (!waits_here(false, mask)) return mask.give_back(in_kernel(length, mask.for_libc()));
  const pollfd wanted = {poller, POLLIN, 0};
  const Ended ended = wait_in_turn(&wanted, 1, length, mask, [&] {
    return libc().epoll_pwait(poller, events, most, 0, nullptr);
  });
  return mask.give_back(ended.has_result ? ended.result : in_kernel(ended.left, nullptr));
}

}  // namespace

HEDDLE_EXPORT int epoll_pwait(int poller, epoll_event* events, int most, int milliseconds,
                              const sigset_t* mask) {
  constexpr long long kMillisecond = 1'000'000;
  poller = in_process(poller);
  const long long all = milliseconds < 0 ? kForEver : milliseconds * kMillisecond;
  return epoll_for(poller, events, most, all, mask, [&](long long left, const sigset_t* kernels) {
    const long long rest = (left + kMillisecond - 1) / kMillisecond;
    return libc().epoll_pwait(poller, events, most, left < 0 ? kForEver : static_cast<int>(rest),
                              kernels);
  });
}

HEDDLE_EXPORT int epoll_pwait2(int poller, epoll_event* events, int most, const timespec* time,
                               const sigset_t* mask) {
  poller = in_process(poller);
  if (time != nullptr && !is_time(*time))
    return libc().epoll_pwait2(poller, events, most, time, mask);
  const long long all = time == nullptr ? kForEver : nanoseconds(*time);
  return epoll_for(poller, events, most, all, mask, [&](long long left, const sigset_t* kernels) {
    timespec rest;
    return libc().epoll_pwait2(poller, events, most, time_of(left, &rest), kernels);
  });
}

#include "polls.inc"
