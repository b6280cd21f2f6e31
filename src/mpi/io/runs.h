// runs.h — the runs of adjacent bytes of a buffer or of a view, one after the other.
//
// datatype::walk_buffer() calls a sink with all runs; here the caller asks for the next one. Runs
// are collected a few hundred at a time, however many a type has. Positions in a file are
// addresses, too: a view is a buffer that begins at its displacement.
//
// Thread safety: none; a Runs belongs to one access.

#pragma once

#include <algorithm>
#include <vector>

#include "mpi/datatype/walk_buffer.h"

namespace heddle::io {

struct Run {
  datatype::Address at;
  MPI_Count bytes;
};

class Runs {
 public:
  // Bytes [skip, skip + bytes) of the packed form of elements of `type`, which begin at `base`.
  Runs(datatype::Address base, const datatype::Datatype& type, MPI_Count skip, MPI_Count bytes);

  // A list that is there already.
  explicit Runs(std::vector<Run> runs) noexcept;

  bool done() const noexcept { return next_ == found_.size() && rest_ == 0; }
  // Requires !done().
  const Run& run() const noexcept { return found_[next_]; }
  // Requires bytes <= run().bytes.
  void advance(MPI_Count bytes) noexcept;

 private:
  void find_more() noexcept;

  const datatype::Address base_;
  const datatype::Datatype& type_;
  MPI_Count skip_, rest_;  // not collected yet
  MPI_Count at_once_;      // bytes that are collected at a time
  std::vector<Run> found_;
  std::size_t next_ = 0;
};

}  // namespace heddle::io
