// descriptor_waits.h — strands that wait for descriptors park, and one kernel thread waits in the
// kernel for all of them.
//
//   strand    a call would wait (of_rank/descriptor_waits.h): adds its descriptors to the kernel's
//             list (epoll), parks
//   watcher   sleeps in epoll_wait; a descriptor is ready: ends the waits of all strands that wait
//             for it
//   strand    looks again, since another strand may have been first, and makes its call or waits
//             again
//
// So other ults of the worker run at once, and no ult needs a kernel thread to wait in. The call
// itself is made when it waits no more, so it is libc's in all that it does.
//
// Invariants
//   I1  Each descriptor of a wait in the list is armed in the kernel, for what all waits in the
//       list want of it. The kernel disarms it when it reports it (EPOLLONESHOT); then the watcher
//       takes all its waits out of the list.
//   I2  A wait that was taken out by the watcher is woken; one that ends by itself takes itself
//       out. It lies on the stack of its strand until then.
//   I3  What stays armed without a wait is reported once at most, and ends no wait that goes on:
//       each looks again.
//
// A descriptor that is closed while a strand waits for it is not reported, and the strand waits on,
// as in the kernel.
//
// Thread safety: any strand of a rank.

#pragma once

#include <poll.h>

#include <cstdint>

#include "exec/process/sleep/sleep.h"

namespace heddle::process {

// True if the calling strand should wait here: it is a ult that may switch, and other ults have the
// same worker, or it may be cancelled. Where it is alone the kernel wakes it sooner.
bool shares_worker() noexcept;

// Waits until one of the descriptors may be ready (kDone; the caller looks), the deadline on
// CLOCK_MONOTONIC (platform::kNever: none), or a handler of the program has run (kHandled,
// kRestarts). kNot: the caller must wait by itself, in the kernel. A cancellation point. May
// switch.
WaitEnd wait_for_descriptors(const pollfd* wanted, nfds_t count, std::int64_t deadline_ns);

}  // namespace heddle::process
