// raw_calls.h — descriptors that a rank makes and closes, and processes that it makes, by
// syscall(2), without a function of libc.
//
// Thread safety: any strand.

#pragma once

namespace heddle::process {

// Before syscall(number, arguments…) of a program: 0 to 2 among its arguments become what the rank
// has there (spec/system.calls). Returns true if that is all: `result` and errno are set. So it is
// where the call changes what the rank has there, and where the rank's library makes it. May
// switch.
bool prepare_raw_call(long number, long (&arguments)[6], long* result) noexcept;

// After syscall(number, first, …) of a program has returned `result`: a new descriptor is the
// rank's, a closed one is no longer, and a new process becomes a child of the rank.
void note_raw_call(long number, long first, long result) noexcept;

}  // namespace heddle::process
