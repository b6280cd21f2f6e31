// allocator_code.h — where the code of an allocator lies that the process was started with (jemalloc,
// tcmalloc; launch/host/preload.h).
//
// Its locks, sleeps and threads are libc's, as those of libmpi_abi.so.1 are: the scheduler allocates, too,
// and a rank that holds an allocator's lock is never interrupted, so no thread waits for it for long.
//
// Thread safety: set before there are ranks, then constant.

#pragma once

namespace heddle::posix {

struct AllocatorCode {
  const void* begin = nullptr;
  const void* end = nullptr;

  bool contains(const void* address) const noexcept { return begin <= address && address < end; }
};

inline constinit AllocatorCode allocator_code;

}  // namespace heddle::posix
