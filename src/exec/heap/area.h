// area.h — a range of addresses for one rank's heaps, and the arena that mimalloc has for it.
//
//   | slack | guard page | 32 GiB, given memory on first touch | guard page | slack |
//
// Guards keep areas apart in /proc/PID/maps and numa_maps, each a line. The area is aligned as
// mimalloc's segments must be. It never has huge pages: with them some pages stay behind when an
// area moves.
//
// Thread safety: any thread.

#pragma once

#include <cstddef>

#include "exec/heap/mimalloc_calls.h"

namespace heddle::heap {

struct Area {
  void* const low;
  const std::size_t bytes;
  const mi_arena_id_t arena;
};

// Stays until the process ends. nullptr if addresses or mimalloc's arenas are used up.
Area* make_area(const MimallocCalls& mimalloc) noexcept;

}  // namespace heddle::heap
