// waiting.h — a wait's deadline, for locks, conditions and sleeps; and how a strand waits for what
// processes share.
//
// A ult waits in the parking lot (Act::kPark, base/standing.h). Kernel threads use libc's wait,
// unless the object is one of ours; so does a ult in a section without switch.
//
// A process-shared lock may be held, given back or posted by another rank, by a child of a rank or
// by any other process. These know libc's protocol and the kernel's futex, and nothing of a
// scheduler; and a rank may have mapped the same file at another address. So the waiting is libc's
// and the kernel's, between ranks too. Only the worker does not wait: before the ult enters libc it
// gives the worker to another kernel thread (ult/outside.h).
//
// Such a wait costs two changes of kernel threads. A lock that is held for a short time, by a ult
// of this worker perhaps, becomes free while the others take their turns, so its waiter tries some
// times first (try_in_turns). A wait in a handler of the program or in a constructor keeps its
// worker, until the call monitor sees that.
//
// Thread safety: any strand.

#pragma once

#include <time.h>

#include <cerrno>
#include <cstdint>

#include "base/standing.h"
#include "exec/process/exit/rank_over.h"
#include "exec/ult/strand.h"

namespace heddle::process {

// Now and then lets the other ults of this worker run. For operations that a program may repeat
// until another thread has done something (lock, look, unlock): ults are not interrupted inside
// them. May switch.
void take_turns() noexcept;

// Converts `time` on `clock` to a deadline on CLOCK_MONOTONIC. Returns false if it is no time, or
// no clock to wait on. If CLOCK_REALTIME is set later, the deadline does not follow.
bool deadline_of(clockid_t clock, const timespec* time, std::int64_t* deadline_ns) noexcept;

// The error of `attempt`, EBUSY if that was its answer each time. Lets other ults of the worker run
// in between. May switch.
template <class Attempt>
int try_in_turns(Attempt attempt) noexcept {
  const int turns = Standing::is_in(Standing::kLoading) ? 1 : 16;
  int error = attempt();
  for (int i = 1; error == EBUSY && i < turns; ++i) {
    ult::yield();
    error = attempt();
  }
  return error;
}

// Calls libc for a ult, outside of its worker if that can be. A cancellation point if the function
// is one: the caller's frames are unwound. May switch.
void call_libc(void (*function)(void*), void* argument) noexcept;

// Calls a function of libc by call_libc() and returns its result.
template <class Call>
int wait_in_libc(Call call) noexcept {
  struct Made {
    Call* call;
    int result;
  } made = {&call, 0};
  call_libc(
      [](void* argument) {
        auto& it = *static_cast<Made*>(argument);
        it.result = (*it.call)();
      },
      &made);
  return made.result;
}

}  // namespace heddle::process
