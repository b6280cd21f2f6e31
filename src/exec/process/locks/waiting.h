// waiting.h — whether a waiting strand must park, and its deadline: for locks, conditions and sleeps.
//
// Thread safety: any strand.

#pragma once

#include <time.h>

#include <cstdint>

namespace heddle::posix {

// True on a ult: it must park, because libc would block its worker. Kernel threads use libc's wait, unless
// the object is one of ours.
bool must_park() noexcept;

// Now and then lets the other ults of this worker run. For operations that a program may repeat until
// another thread has done something (lock, look, unlock): ults are not interrupted inside them. May switch.
void take_turns() noexcept;

// Converts `time` on `clock` to a deadline on CLOCK_MONOTONIC. Returns false if it is no time, or no clock to wait
// on. If CLOCK_REALTIME is set later, the deadline does not follow.
bool deadline_of(clockid_t clock, const timespec* time, std::int64_t* deadline_ns) noexcept;

}  // namespace heddle::posix
