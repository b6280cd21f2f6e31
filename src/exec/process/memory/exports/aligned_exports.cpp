// Aligned blocks under libc's names: the process's allocator, mended where it is mimalloc 2.0.
//
// mimalloc 2.0 gives a plain block where the size is a multiple of the alignment and at most 1 KiB.
// Its pages for such sizes begin with 384 other bytes, so these blocks are aligned to 128 bytes at
// most. One byte more avoids that way, and does no harm in other allocators.
//
// Thread safety: any thread.

#include <dlfcn.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/platform/memory.h"
#include "exec/process/exports/own_code.h"

namespace {

constexpr std::size_t kAligned = 128, kLargest = 1024;

constexpr std::size_t avoid_plain_block(std::size_t alignment, std::size_t bytes) noexcept {
  const bool is_one =
      alignment > kAligned && bytes - 1 < kLargest && (bytes & (alignment - 1)) == 0;
  return is_one ? bytes + 1 : bytes;
}

struct Allocator {
  void* (*aligned_alloc)(std::size_t, std::size_t) noexcept;
  void* (*memalign)(std::size_t, std::size_t) noexcept;
  int (*posix_memalign)(void**, std::size_t, std::size_t) noexcept;
};

// The first in the process, which may be preloaded ahead of this library; libc's, where this
// library is the first.
template <class Function>
void find(const char* name, Function** out) noexcept {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (heddle::process::is_own_code(found)) found = dlsym(RTLD_NEXT, name);
  *out = reinterpret_cast<Function*>(found);
}

Allocator find_all() noexcept {
  Allocator all;
  find("aligned_alloc", &all.aligned_alloc);
  find("memalign", &all.memalign);
  find("posix_memalign", &all.posix_memalign);
  return all;
}

const Allocator& allocator() noexcept {
  static const Allocator found = find_all();
  return found;
}

// Before there are ranks: later a strand may hold the dynamic linker's lock.
[[maybe_unused]] const Allocator& found_at_load = allocator();

}  // namespace

// Not every allocator has it: jemalloc frees what libc's own would give.
HEDDLE_EXPORT void* pvalloc(std::size_t bytes) noexcept {
  const std::size_t page = heddle::platform::page_size();
  if (bytes > SIZE_MAX - page) {
    errno = ENOMEM;
    return nullptr;
  }
  return allocator().memalign(page, heddle::platform::round_up(bytes != 0 ? bytes : 1, page));
}

#include "aligned_exports.inc"
