// scratch.h — memory for elements on their way through a collective.
//
// Small ones lie in the object itself, on the caller's stack.
//
// Thread safety: none; belongs to one call.

#pragma once

#include <cstddef>
#include <cstdlib>

#include "base/error.h"
#include "mpi/datatype/buffer.h"

namespace heddle::coll {

class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { std::free(allocated_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Once. Afterwards buffer() has room for `count` elements of the type.
  Error reserve(MPI_Count count, const datatype::Datatype& type);
  // The same for bytes.
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
