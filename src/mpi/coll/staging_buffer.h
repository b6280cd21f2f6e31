// staging_buffer.h — memory for elements on their way through a collective.
//
// Small ones lie in the object itself, on the caller's stack.
//
// Thread safety: none; a StagingBuffer belongs to one call.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "base/error.h"
#include "mpi/datatype/buffer.h"

namespace heddle::coll {

// How much memory some elements of a type need, and where in it the buffer begins, which an
// operation gets. Whole elements fit, gaps and padding included, since an operation may copy those
// too; an extent may be negative. In memory that is aligned for every type, every element is
// aligned for its own.
struct Room {
  static Room of(MPI_Count count, const datatype::Datatype& type) noexcept {
    if (count == 0) return {0, 0};
    constexpr MPI_Count kUnit = alignof(std::max_align_t);
    const MPI_Count begin = type.lower_bound(), end = begin + type.extent();
    const MPI_Count true_begin = type.true_lower_bound();
    const MPI_Count true_end = true_begin + type.true_extent();
    const MPI_Count last = (count - 1) * type.extent();
    const MPI_Count low = std::min({begin, end, true_begin}) + std::min<MPI_Count>(last, 0);
    const MPI_Count high = std::max({begin, end, true_end}) + std::max<MPI_Count>(last, 0);
    const MPI_Count first = low & -kUnit;
    return {high - first, -first};
  }

  MPI_Count bytes;
  MPI_Count first;
};

class StagingBuffer {
 public:
  StagingBuffer() = default;
  ~StagingBuffer() { std::free(allocated_); }
  StagingBuffer(StagingBuffer&&) = delete;

  // Once. Afterwards buffer() has room for `count` elements of the type; for none if this fails.
  Error reserve(MPI_Count count, const datatype::Datatype& type);
  // Reserves room for bytes, as reserve() does for elements.
  Error reserve_bytes(MPI_Count bytes) { return reserve(bytes, datatype::named(MPI_BYTE)); }

  datatype::Buffer buffer() const noexcept { return buffer_; }
  void* data() const noexcept { return buffer_.data; }

 private:
  static constexpr MPI_Count kInside = 256;

  datatype::Buffer buffer_;
  void* allocated_ = nullptr;
  alignas(std::max_align_t) std::byte inside_[kInside];
};

}  // namespace heddle::coll
