// libc_malloc.h — glibc's malloc beside mimalloc's, for what this library allocates by new
// (library/new_delete.cpp).
//
// A block of a size that a heap has no page for costs a page of memory in mimalloc, and some bytes
// here. This library allocates a few blocks of many sizes for each rank, so its own go to glibc's
// malloc, as they do without mimalloc. mimalloc takes the names of libc's functions,
// `__libc_malloc` too, so they are looked up in libc itself.
//
//   I1  What `allocate` and `allocate_aligned` give is freed by `free` of the same table, and by
//       nothing else.
//
// Thread safety: any thread. The first call is over before there is a second thread: static objects
// of this library allocate.

#pragma once

#include <cstddef>

namespace heddle::heap {

struct LibcMalloc {
  void* (*allocate)(std::size_t bytes);
  void* (*allocate_aligned)(std::size_t alignment, std::size_t bytes);
  void (*free)(void* block);
};

// libc's where mimalloc is the process's allocator; else the process's.
const LibcMalloc& libc_malloc() noexcept;

}  // namespace heddle::heap
