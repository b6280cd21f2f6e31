// merge.h — the pieces of several accesses in one order: that of their offsets in the file.
//
//   sources        the accesses of members of this process, and lists of runs of other processes
//   target.add()   gets each piece: its offset, address and bytes, and the count of what is done of
//                  its access. A Mover, or what looks like one
//
// Accesses whose views overlap themselves are not among them: their members move them alone.
//
// Thread safety: none; the accesses stay as they are meanwhile.

#pragma once

#include <algorithm>
#include <vector>

#include "mpi/io/access.h"

namespace heddle::io {

// What members of a process have, all together; no bytes if it is nothing.
struct Extent {
  MPI_Offset first = 0, end = 0;
  MPI_Count bytes = 0;
};
// Requires that all are on the board.
Extent extent_of_all(Part& part);
// What this access has.
Extent extent_of(const Access& access);

class Merge {
 public:
  // What the members here have in the range. Requires that all are on the board.
  Merge(Part& part, Range range);

  // Runs of another process, whose bytes lie one after the other at `data`.
  void add(std::vector<Run> runs, std::byte* data, MPI_Count bytes, Mover::Done& done) {
    sources_.emplace_back(std::move(runs), data, bytes, done);
    bytes_ += bytes;
  }

  MPI_Count bytes() const noexcept { return bytes_; }

  // Once. Ends early if target.is_over().
  template <class Target>
  void into(Target& target) {
    std::vector<Pieces*> heap;
    heap.reserve(sources_.size());
    for (Pieces& source : sources_) heap.push_back(&source);
    const auto later = [](const Pieces* a, const Pieces* b) { return a->offset() > b->offset(); };
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty() && !target.is_over()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      Pieces& next = *heap.back();
      next.hand_to(target);
      if (next.done()) {
        heap.pop_back();
      } else {
        std::push_heap(heap.begin(), heap.end(), later);
      }
    }
  }

 private:
  void add(Access& access, Range range);

  std::vector<Pieces> sources_;
  MPI_Count bytes_ = 0;
};

}  // namespace heddle::io
