// allocator_code.h — the code range of the allocator with which the process was started (jemalloc,
// tcmalloc; launch/host/preload.h).
//
// Calls from there to locks, sleeps and threads are left to libc, as those of libmpi_abi.so.1 are,
// since the scheduler allocates, too. A rank that holds an allocator's lock is never interrupted,
// so no thread waits for it for long.
//
// Thread safety: set before there are ranks, then constant.

#pragma once

namespace heddle::process {

struct AllocatorCode {
  const void* begin = nullptr;
  const void* end = nullptr;

  bool contains(const void* address) const noexcept { return begin <= address && address < end; }
};

inline constinit AllocatorCode allocator_code;

}  // namespace heddle::process
