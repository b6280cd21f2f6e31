// descriptor_waits.h — before a call that would wait for a descriptor, other ranks of the worker
// run until it no longer would.
//
//   the call           looks at the descriptor by                        and then
//   -----------------  ------------------------------------------------  --------------------------
//   would not wait     the call itself where it can be told not to       has its result
//                      wait (recv, send, poll, epoll_wait); else poll
//   would wait         the same, between turns of the other ults,        parks in the host (exec/
//                      if the rank's last wait was short                 process/waits) until the
//                                                                        descriptor is ready; then
//                                                                        all begins anew
//
// A read that waits long makes three calls of the kernel before it parks: the look, fcntl for
// O_NONBLOCK, epoll_ctl. A socket's own time is one more, and so is what a descriptor is, once.
//
// The call is made as it is where it cannot be put off: on a kernel thread, where no other ult has
// the worker, in a child of fork; and where it never waits: on a file, or a descriptor with
// O_NONBLOCK.
//
// Thread safety: any strand of the rank.

#pragma once

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "exec/process/state/of_rank/hosted.h"

namespace heddle::process::of_rank {

// True if a call that would wait should be put off; for a descriptor, if calls on it may wait at
// all: a file's never do.
inline bool puts_off_waits() noexcept {
  const auto* const host = rank_hooks();
  return host != nullptr && host->waits.shares_worker() != 0;
}

bool is_file(int descriptor) noexcept;
inline bool puts_off_waits(int descriptor) noexcept {
  return puts_off_waits() && !is_file(descriptor);
}

constexpr long long kNoDeadline = __LONG_LONG_MAX__;
// CLOCK_MONOTONIC then; `nanoseconds` below 0: never.
long long deadline_after(long long nanoseconds) noexcept;

// Waits until look() is true (kDone), which looks at `wanted` without waiting, or as
// process::wait_for_descriptors() does. A cancellation point. May switch.
WaitEnd wait_until_ready(bool (*look)(void*), void* argument, const pollfd* wanted, nfds_t count,
                         long long deadline);

template <class Look>
WaitEnd wait_until_ready(Look look, const pollfd* wanted, nfds_t count, long long deadline) {
  return wait_until_ready([](void* it) { return (*static_cast<Look*>(it))(); }, &look, wanted,
                          count, deadline);
}

// Before a call that waits until `descriptor` has one of `events` (POLLIN, POLLOUT): returns true
// when it has, or when the call is to be made as it is. False: the call has failed, with errno
// EINTR, or EAGAIN after a socket's own time (SO_RCVTIMEO, SO_SNDTIMEO). `would_wait`: the call
// itself has said so now, by EAGAIN. Requires puts_off_waits(). A cancellation point. May switch.
bool await(int descriptor, short events, bool would_wait = false);

// Call it when the number of a descriptor has become another's: what is known of it is forgotten.
void forget_kind(int descriptor) noexcept;

// Calls await() if the descriptor is one whose waits are put off. For calls that cannot be told not
// to wait.
inline bool await_if_shared(int descriptor, short events) {
  return !puts_off_waits(descriptor) || await(descriptor, events);
}

// True if an open of `path`, beginning at `folder`, waits until another one opens the other end of
// a fifo, and others should have the worker meanwhile. Asks for the kind of the file alone, which a
// network file system need not fetch. One that becomes a fifo only now keeps the worker until the
// call monitor sees it.
bool waits_for_other_end(int folder, const char* path, int flags) noexcept;

// Runs call(), which waits in the kernel for what no descriptor tells, while others have the
// worker. May switch.
template <class Call>
int wait_outside(Call call) {
  struct Made {
    Call& call;
    int result;
  } made = {call, -1};
  hooks()->waits.outside(
      [](void* argument) {
        auto& it = *static_cast<Made*>(argument);
        it.result = it.call();
      },
      &made);
  return made.result;
}

// False: the kernel has no way to make a call on it without waiting.
bool takes_attempts(int descriptor) noexcept;
void note_refused_attempt(int descriptor) noexcept;

// attempt(), which does not wait. EAGAIN: it would have to. EOPNOTSUPP: it cannot be told not to.
template <class Attempt>
ssize_t without_wait(int descriptor, Attempt attempt) {
  if (!takes_attempts(descriptor)) {
    errno = EOPNOTSUPP;
    return -1;
  }
  const ssize_t size = attempt();
  if (size < 0 && errno == EOPNOTSUPP) note_refused_attempt(descriptor);
  return size;
}

// attempt() reads without waiting, whole() waits.
template <class Attempt, class Whole>
ssize_t read_in_turn(int descriptor, Attempt attempt, Whole whole) {
  if (!puts_off_waits(descriptor)) return whole();
  const ssize_t size = without_wait(descriptor, attempt);
  if (size >= 0 || (errno != EAGAIN && errno != EOPNOTSUPP)) return size;
  return await(descriptor, POLLIN, errno == EAGAIN) ? whole() : -1;
}

// Some results of calls that wait are a part of what was asked, because a signal has come. The
// program must see that only if one of its handlers has run; the call monitor's signals come, too
// (exec/ult/preempt/away.h). Made before the call, asked after it.
class Interruption {
 public:
  Interruption() noexcept : handlers_(handlers_run()) {}
  // True if the call on `descriptor` would have waited for the rest.
  bool cut_off_by_host(int descriptor) const noexcept;

 private:
  static unsigned long handlers_run() noexcept {
    return rank_hooks() != nullptr ? hooks()->waits.handlers_run() : 0;
  }
  const unsigned long handlers_;
};

// receive(bytes, size, flags) is recv or its like.
template <class Receive>
ssize_t receive_in_turn(int socket, void* to, size_t size, int flags, Receive receive) {
  if ((flags & MSG_DONTWAIT) != 0) return receive(to, size, flags);
  bool would_wait = false;
  if (!puts_off_waits()) return receive(to, size, flags);
  // MSG_WAITALL: what has come by now would be taken.
  if ((flags & MSG_WAITALL) == 0) {
    const ssize_t received = receive(to, size, flags | MSG_DONTWAIT);
    if (received >= 0 || errno != EAGAIN) return received;
    would_wait = true;
  }
  return await(socket, POLLIN, would_wait) ? receive(to, size, flags) : -1;
}

// What is to be written yet.
struct Unwritten {
  iovec* parts;
  int count;

  // False: that was all.
  bool advance(size_t written) noexcept {
    while (count > 0 && written >= parts->iov_len) {
      written -= parts->iov_len;
      ++parts, --count;
    }
    if (count == 0) return false;
    parts->iov_base = static_cast<char*>(parts->iov_base) + written;
    parts->iov_len -= written;
    return true;
  }
};

// Writes all, as a call that waits does: attempt(parts, count) writes what it can without waiting,
// whole(parts, count) waits. Changes `rest`.
template <class Attempt, class Whole>
ssize_t write_in_turn(int descriptor, Unwritten rest, Attempt attempt, Whole whole) {
  const bool turns = puts_off_waits(descriptor);
  bool awaited = false;
  for (ssize_t done = 0;;) {
    const Interruption interruption;
    ssize_t part = turns ? without_wait(descriptor, [&] { return attempt(rest.parts, rest.count); })
                         : whole(rest.parts, rest.count);
    if (turns && part < 0 && (errno == EAGAIN || errno == EOPNOTSUPP)) {
      const bool cannot_try = errno == EOPNOTSUPP;
      if (!await(descriptor, POLLOUT, !cannot_try && !awaited)) return done != 0 ? done : -1;
      const bool refuses = awaited;  // though it has room
      awaited = true;
      if (!cannot_try && !refuses) continue;
      part = whole(rest.parts, rest.count);
    }
    if (part < 0) return done != 0 ? done : -1;
    done += part;
    if (!rest.advance(static_cast<size_t>(part)) || part == 0) return done;
    if (!interruption.cut_off_by_host(descriptor)) return done;
    awaited = false;
  }
}

}  // namespace heddle::process::of_rank
