// heap.h — a heap for each rank, on mimalloc 2 (HEDDLE_MALLOC=mimalloc; decision 105), and the
// pages that go with a rank. Without the setting there are no heaps, and a rank's other pages go
// with it all the same.
//
// What a rank allocates lies in its area, a range of addresses that no other rank allocates in:
//
//   guard | area of rank 0: segments, pages of blocks, …  | guard | area of rank 1 …  areas: area.h
//               ▲                  ▲
//        heap of the main strand   heap of a thread       a heap: mimalloc's, of one strand, in one
//                                                         area
//
//   who allocates                                  where                      by
//   ---------------------------------------------  -------------------------  ---------------------
//   program, its libraries, libc for them          the area of the calling    the strand's default
//   (strdup)                                       strand's rank              heap
//   this library, by new                           memory of the process      glibc's malloc
//                                                                             (libc_malloc.h)
//   this library, by malloc, for the program       the rank's area            as the program
//   (MPI_Alloc_mem)
//   what is of no rank: workers, helper ults       memory of the process      their default heap is
//                                                                             the backing one
//   any of them, more than the area has room for   nowhere: NULL              an area is larger
//                                                                             than memory
//   a rank for which there are no addresses left   memory of the process      the strand's backing
//                                                                             heap
//   any, where a process has more than 64 ranks    glibc's malloc: no rank has a heap
//
// free: mimalloc finds a block's page by its address, and the page knows its strand. The block of
// another strand is put on a list of the page with one compare-exchange; its owner takes the list
// when it looks for room in the page. So any strand of any rank, and any kernel thread, may free
// any block, and the memory is its owner's again. realloc that cannot stay in place allocates for
// the caller, and so may change a block's owner. Aligned blocks are blocks; malloc_usable_size
// reads the page.
//
//   event             what happens
//   ----------------  -----------------------------------------------------------------------------
//   a rank begins     it takes an area, a used one before a new one (begin_rank); its main strand
//                     makes a heap there
//   a thread begins   it makes a heap in its rank's area (begin_strand)
//   a thread ends     its heap ends; its pages that still hold blocks stay, and threads of its rank
//                     take them over (end_strand)
//   a main strand     its heap ends with its TLS block, by mimalloc's own key
//   a rank ends       its area goes to the list of used ones, with the blocks that live on: others
//                     may hold and free them
//   a rank moves      the strands' heaps follow by themselves; its pages go after it
//                     (following_pages.h): its area and what add_pages was told of. Nothing does on
//                     a machine with one NUMA node
//   fork              the child's only thread is the caller's copy, with its heap; heaps of other
//                     strands are left as they are. A page may be as a thread of the parent had it
//                     that was freeing one of its blocks (I5)
//
// Invariants
//   I1  An area belongs to one rank at a time, and is never unmapped: a block of an ended rank
//       stays valid.
//   I2  A strand of a rank with an area has a default heap in that area, from begin_strand to its
//       end.
//   I3  The backing heap of a strand never has a page in an area: arenas of areas are exclusive.
//   I4  No strand is interrupted or switched in mimalloc's code, so none waits for another one
//       there (allocator_code.h).
//   I5  A child of fork allocates and frees, and never collects its heap. Collecting waits until no
//       other thread is freeing a block of the heap; a thread of the parent that was, at the fork,
//       never ends that in the child. Allocating passes over such a page.
//
// Thread safety: wire and find_library before there are ranks; begin_… and end_… by the strand that
// they are about; the others any strand.

#pragma once

#include <cstddef>
#include <memory>

#include "base/error.h"
#include "exec/heap/following_pages.h"
#include "exec/rank/rank.h"

namespace heddle::heap {

// mimalloc 2.0.9 has room for this many areas. A process with more ranks has glibc's malloc,
// whatever the setting says: most ranks would have no area, and a rank that allocates little costs
// a page of memory for each size of block.
inline constexpr int kMostRanks = 64;

// The library with which the host of `ranks` must start again so that they have heaps; nullptr: the
// setting does not want it, it is not installed, or there are too many.
const char* find_library(int ranks) noexcept;

// Looks whether mimalloc is the process's allocator. Fails if the setting wants it for so many
// ranks and it is not there; `has_other`: then a program's own allocator is, and ranks have no
// heaps.
Error wire(int ranks, bool has_other);

// The calling strand is the main one of its rank, whose worker is on `numa_node`. Requires
// Rank::current().
void begin_rank(int numa_node) noexcept;

// True if pages of the calling strand's rank go where it goes.
bool has_following_pages() noexcept;

// Pages of the calling strand's rank besides its heap; they go where the rank goes, and stay mapped
// until it ends.
void add_pages(void* low, std::size_t bytes) noexcept;

// The calling strand has just entered its rank, which has begun.
void begin_strand() noexcept;

// Called before the thread_local variables of a strand are set back; what it allocates from here on
// comes from the process.
void end_strand() noexcept;

// nullptr: the machine has one NUMA node. Requires that the rank has begun and not ended.
std::shared_ptr<FollowingPages> pages_of(Rank& rank) noexcept;

// What the heap of the calling strand holds; a heap may be read by its strand only. Takes a while.
struct Statistics {
  std::size_t used = 0;       // bytes in blocks that are not freed, by others neither
  std::size_t committed = 0;  // bytes of pages in which blocks may be
};
Statistics statistics() noexcept;

}  // namespace heddle::heap
