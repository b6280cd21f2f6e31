// waiting.h — who may park here and until when, for everything in this folder that waits.
//
// Thread safety: any strand.

#pragma once

#include <time.h>

#include <cstdint>

namespace heddle::posix {

// A ult: it must park, because libc would block its worker. Kernel threads wait in libc wherever
// what they wait for is libc's as well.
bool must_park() noexcept;

// Now and then lets the others of this worker run. For operations that a program may repeat until
// another thread has done something (lock, look, unlock): inside these ults are not interrupted. May switch.
void take_turns() noexcept;

// `time` on `clock` as a deadline on CLOCK_MONOTONIC. False: it is no time or no clock to wait on.
// A deadline on CLOCK_REALTIME does not follow that clock when it is set meanwhile.
bool deadline_of(clockid_t clock, const timespec* time, std::int64_t* deadline_ns) noexcept;

}  // namespace heddle::posix
