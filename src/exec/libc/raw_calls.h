// raw_calls.h — descriptors that a rank makes and closes by syscall(2), without a function of libc.
//
// Thread safety: any strand.

#pragma once

namespace heddle::libc {

// After syscall(number, first, …) of a program has returned `result`: a new descriptor is the rank's, and a closed one
// is no longer.
void note_raw_call(long number, long first, long result) noexcept;

}  // namespace heddle::libc
