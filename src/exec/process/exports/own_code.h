// own_code.h — recognizes calls of exported functions (pthread, sleep, timers) that libmpi_abi.so.1
// itself, or the allocator below it, has made.
//
// These calls go to libc: the scheduler cannot use itself to wait. So does whatever a library does
// that this one calls in a section without switch (libfabric, for one): its threads, keys, handlers
// of signals and CPUs are the process's, and no rank's.
//
// Thread safety: any thread.

#pragma once

#include "base/standing.h"
#include "exec/process/exports/allocator_code.h"

// Where this library's own code lies (defined by the linker).
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const char etext;

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::process {

inline bool is_own_code(const void* caller) noexcept {
  return (caller >= &__ehdr_start && caller < &etext) || allocator_code.contains(caller);
}

// For functions that make something of a rank's. Locks need no more than is_own_code(): they are
// libc's in any case, and Act::kPark says which threads wait in the scheduler.
inline bool is_of_process(const void* caller) noexcept {
  return is_own_code(caller) || !may(Act::kSwitch);
}

}  // namespace heddle::process
