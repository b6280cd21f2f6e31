// element_runs.h — finds elements of one type in the runs of bytes of a layout (walk_buffer.h).
//
//   runs of bytes, in packed order ──► take(address of the first element, their packed bytes)
//
// Elements without gaps are taken as they come, many at once. An element with gaps may come as
// several runs, and a run may have parts of two: it is taken alone, where its first byte is.
//
// Thread safety: of its strand.

#pragma once

#include "mpi/datatype/datatype.h"
#include "mpi/datatype/sinks.h"
#include "mpi/datatype/walk_buffer.h"

namespace heddle::rma {

template <class Take>
class ElementVisit {
 public:
  ElementVisit(const datatype::Datatype& element, Take take) noexcept
      : size_(element.size()), dense_(element.dense()), take_(take) {}

  void operator()(datatype::Address address, MPI_Count bytes) {
    if (dense_) return take_(address, bytes);
    const MPI_Count first = (size_ - position_ % size_) % size_;
    for (MPI_Count begin = first; begin < bytes; begin += size_) {
      take_(datatype::moved(address, begin), size_);
    }
    position_ += bytes;
  }

 private:
  const MPI_Count size_;
  const bool dense_;
  Take take_;
  MPI_Count position_ = 0;  // packed; of elements with gaps
};

template <class Take>
class ElementRuns : public datatype::EachRun<ElementVisit<Take>> {
 public:
  ElementRuns(const datatype::Datatype& element, Take take) noexcept
      : datatype::EachRun<ElementVisit<Take>>(ElementVisit<Take>(element, take)) {}
};

}  // namespace heddle::rma
