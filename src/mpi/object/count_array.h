// count_array.h — an array of counts or displacements of a call, whichever width it came in.
//
// MPI_Alltoallv gives int[], MPI_Alltoallv_c MPI_Count[]; the implementation is one.
//
// Thread safety: a plain value over the caller's array.

#pragma once

#include <mpi.h>

namespace heddle::object {

class CountArray {
 public:
  CountArray() noexcept = default;
  explicit CountArray(const int* small) noexcept : small_(small) {}
  explicit CountArray(const MPI_Count* large) noexcept : large_(large) {}

  MPI_Count operator[](MPI_Count i) const noexcept {
    return large_ != nullptr ? large_[i] : small_[i];
  }
  explicit operator bool() const noexcept { return small_ != nullptr || large_ != nullptr; }

 private:
  const int* small_ = nullptr;
  const MPI_Count* large_ = nullptr;
};

}  // namespace heddle::object
