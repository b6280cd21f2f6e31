// pieces.h — a buffer that is cut into one piece for each rank (MPI 5.0 §6.5 to §6.8).
//
//   made from                                     piece i
//   --------------------------------------------  --------------------------------------------
//   data, count, type               MPI_Gather    count elements at data + i * count * extent
//   data, counts, displs, type      MPI_Gatherv   counts[i] at data + displs[i] * extent
//   data, counts, displs, types[]   MPI_Alltoallw counts[i] of types[i] at data + displs[i] bytes
//
// Thread safety: immutable, once hold_types() and keep_arrays() have been called.

#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/error.h"
#include "mpi/datatype/buffer.h"
#include "mpi/object/count_array.h"

namespace heddle::coll {

class Pieces {
 public:
  // `data` is also what is sent, so the address comes const; a receiver passes what is not.
  Pieces(const void* data, MPI_Count count, const datatype::Datatype* type) noexcept
      : data_(const_cast<void*>(data)), count_(count), type_(type) {}
  Pieces(const void* data, object::CountArray counts, object::CountArray displacements,
         const datatype::Datatype* type) noexcept
      : data_(const_cast<void*>(data)),
        counts_(counts),
        displacements_(displacements),
        type_(type) {}
  Pieces(const void* data, object::CountArray counts, object::CountArray displacements,
         const MPI_Datatype* types) noexcept
      : data_(const_cast<void*>(data)),
        counts_(counts),
        displacements_(displacements),
        types_(types) {}
  // Only the counts are asked for (MPI_Reduce_scatter).
  Pieces(object::CountArray counts, const datatype::Datatype* type) noexcept
      : data_(nullptr), counts_(counts), type_(type) {}
  Pieces(datatype::Buffer each) noexcept  // NOLINT: a buffer for each rank
      : Pieces(each.data, each.count, each.type) {}

  bool in_place() const noexcept { return data_ == MPI_IN_PLACE; }
  // True if all pieces are one buffer, one after the other.
  bool uniform() const noexcept { return !counts_; }

  datatype::Buffer operator[](int i) const noexcept {
    if (uniform()) return {at(i * count_ * type_->extent()), count_, type_};
    const MPI_Count displacement = displacements_ ? displacements_[i] : 0;
    if (types_ == nullptr) return {at(displacement * type_->extent()), counts_[i], type_};
    return {at(displacement), counts_[i], held_[static_cast<std::size_t>(i)].get()};
  }

  // All of them as one buffer. Requires uniform().
  datatype::Buffer whole(int ranks) const noexcept { return {data_, count_ * ranks, type_}; }

  bool empty(int ranks) const noexcept {
    for (int i = 0; i < ranks; ++i) {
      if ((*this)[i].bytes() != 0) return false;
    }
    return true;
  }
  MPI_Count bytes(int ranks) const noexcept {
    if (uniform()) return whole(ranks).bytes();
    MPI_Count sum = 0;
    for (int i = 0; i < ranks; ++i) sum += (*this)[i].bytes();
    return sum;
  }

  // The type of all pieces; null where each has its own.
  const datatype::Datatype* type() const noexcept { return type_; }

  // For pieces with types of their own, before any of them is asked for: looks the handles up,
  // once, because another thread may free them while the call waits. An error if one is no
  // committed datatype.
  Error hold_types(const char* name, int ranks);

  // Copies the caller's counts and displacements, which then may change. False, and nothing has
  // happened, if there is no memory.
  [[nodiscard]] bool keep_arrays(int ranks) noexcept;

 private:
  void* at(MPI_Count offset) const noexcept {
    // Adds integers, since MPI_BOTTOM is null.
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(data_) +
                                   static_cast<std::uintptr_t>(offset));
  }

  void* data_;
  MPI_Count count_ = 0;
  object::CountArray counts_, displacements_;
  const datatype::Datatype* type_ = nullptr;
  const MPI_Datatype* types_ = nullptr;
  std::vector<object::Ref<const datatype::Datatype>> held_;  // by hold_types
  std::unique_ptr<std::max_align_t[]> kept_;                 // by keep_arrays
};

}  // namespace heddle::coll
