// string_code.h — where libc's string functions are: memcmp, strlen and their kind.
//
// A rank may wait by comparing memory until another rank has written there. It then is in its own
// code for a few instructions only. These functions hold no lock, call nothing, and leave the stack
// alone, so that the top of the stack is the return address: where that is the program's, the
// program may be interrupted in them as in its own code. libc itself calls them with locks held;
// then it is not.
//
// find_string_code() finds out which versions this processor uses. The list has only functions with
// versions in assembler. These lie side by side in libc, and their lengths are unknown, so what is
// taken for one function's code may reach into the next one of the kind.
//
// Thread safety: any thread; find_string_code() must come first.

#pragma once

#include <cstdint>

namespace heddle::process {

void find_string_code() noexcept;

// Async-signal-safe.
bool has_string_code_at(std::uintptr_t address) noexcept;

}  // namespace heddle::process
