// raw_calls.h — descriptors that a rank makes and closes, and processes that it makes, by syscall(2), without a function
// of libc.
//
// Thread safety: any strand.

#pragma once

namespace heddle::process {

// After syscall(number, first, …) of a program has returned `result`: a new descriptor is the rank's, a closed one
// is no longer, and a new process becomes a child of the rank.
void note_raw_call(long number, long first, long result) noexcept;

}  // namespace heddle::process
