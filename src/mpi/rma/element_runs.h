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
#include "mpi/datatype/walk_buffer.h"

namespace heddle::rma {

template <class Take>
class ElementRuns {
 public:
  ElementRuns(const datatype::Datatype& element, Take take) noexcept
      : size_(element.size()), dense_(element.dense()), take_(take) {}

  void run(datatype::Address address, MPI_Count bytes) {
    if (dense_) return take_(address, bytes);
    const MPI_Count first = (size_ - position_ % size_) % size_;
    for (MPI_Count begin = first; begin < bytes; begin += size_) {
      take_(datatype::moved(address, begin), size_);
    }
    position_ += bytes;
  }
  void strided(datatype::Address at, MPI_Count stride, MPI_Count bytes, MPI_Count count) {
    for (MPI_Count i = 0; i < count; ++i) run(datatype::moved(at, i * stride), bytes);
  }
  void scattered(datatype::Address base, const MPI_Count* offsets, MPI_Count bytes,
                 MPI_Count count) {
    for (MPI_Count i = 0; i < count; ++i) run(datatype::moved(base, offsets[i]), bytes);
  }
  void records(datatype::Address at, MPI_Count stride, MPI_Count count,
               const datatype::Fields& fields) {
    for (MPI_Count i = 0; i < count; ++i) {
      for (MPI_Count field = 0; field < fields.count; ++field) {
        run(datatype::moved(at, i * stride + fields.offsets[field]),
            fields.starts[field + 1] - fields.starts[field]);
      }
    }
  }

 private:
  const MPI_Count size_;
  const bool dense_;
  Take take_;
  MPI_Count position_ = 0;  // packed; of elements with gaps
};

}  // namespace heddle::rma
