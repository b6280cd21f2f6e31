// own_code.h — recognizes calls of exported functions (pthread, sleep, timers) that libmpi_abi.so.1 itself, or the allocator below it,
// has made.
//
// These calls go to libc: the scheduler cannot use itself to wait.
//
// Thread safety: any thread.

#pragma once

#include "exec/process/exports/allocator_code.h"

// Where this library's own code lies (defined by the linker).
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const char etext;

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::posix {

inline bool is_own_code(const void* caller) noexcept {
  return (caller >= &__ehdr_start && caller < &etext) || allocator_code.contains(caller);
}

}  // namespace heddle::posix
