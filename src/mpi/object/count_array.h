// count_array.h — an array of counts or displacements of a call, whichever width it came in.
//
// MPI_Alltoallv gives int[], MPI_Alltoallv_c MPI_Count[]; the implementation is one.
//
// Thread safety: a plain value over the caller's array.

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstring>

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

  // For its first `size` elements: how much memory a copy takes (0 if there is no array), and the
  // copy, whose memory is aligned for MPI_Count.
  std::size_t bytes(MPI_Count size) const noexcept {
    const std::size_t width = large_ != nullptr   ? sizeof *large_
                              : small_ != nullptr ? sizeof *small_
                                                  : 0;
    return static_cast<std::size_t>(size) * width;
  }
  CountArray copied_to(void* memory, MPI_Count size) const noexcept {
    if (const std::size_t length = bytes(size)) std::memcpy(memory, array(), length);
    return large_ != nullptr   ? CountArray(static_cast<const MPI_Count*>(memory))
           : small_ != nullptr ? CountArray(static_cast<const int*>(memory))
                               : CountArray();
  }

 private:
  const void* array() const noexcept {
    return large_ != nullptr ? static_cast<const void*>(large_) : small_;
  }

  const int* small_ = nullptr;
  const MPI_Count* large_ = nullptr;
};

}  // namespace heddle::object
