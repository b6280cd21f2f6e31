#include "exec/heap/area.h"

#include <sys/mman.h>

#include <cstdint>

#include "base/platform/memory.h"

namespace heddle::heap {

namespace {

constexpr std::size_t kBytes = std::size_t{32} << 30;
constexpr std::size_t kAlignment = std::size_t{64} << 20;  // of a segment, in all versions 2

}  // namespace

Area* make_area(const MimallocCalls& mimalloc) noexcept {
  const std::size_t all = kBytes + 2 * kAlignment;
  void* const mapped =
      mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  // Above one page at least, so that there is a guard even where the mapping is aligned.
  char* const low = reinterpret_cast<char*>(platform::round_up(
      reinterpret_cast<std::uintptr_t>(mapped) + platform::page_size(), kAlignment));
  mi_arena_id_t arena = 0;
  madvise(low, kBytes, MADV_NOHUGEPAGE);  // refused where the kernel has no huge pages
  // The area is not said to be committed: then mimalloc gives memory back to the kernel, without a
  // change of the mapping.
  if (mprotect(low, kBytes, PROT_READ | PROT_WRITE) == 0 &&
      mimalloc.manage_memory(low, kBytes, /*is_committed=*/false, /*is_large=*/false,
                             /*is_zero=*/true, /*numa_node=*/-1, /*exclusive=*/true, &arena)) {
    return new Area{low, kBytes, arena};
  }
  munmap(mapped, all);
  return nullptr;
}

}  // namespace heddle::heap
