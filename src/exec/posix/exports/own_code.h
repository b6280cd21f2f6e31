// own_code.h — whether a function of libc's name was called by libmpi_abi.so.1 itself, or by the allocator
// below it.
//
// The library's own threads, mutexes and system calls are libc's: the scheduler cannot wait by means
// of itself.
//
// Thread safety: any thread.

#pragma once

#include "exec/posix/allocator_code.h"

// Where this library's own code lies (defined by the linker).
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const char etext;

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::posix {

inline bool is_own_code(const void* caller) noexcept {
  return (caller >= &__ehdr_start && caller < &etext) || allocator_code.contains(caller);
}

}  // namespace heddle::posix
