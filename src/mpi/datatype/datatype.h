// datatype.h — the layout of data in memory (MPI 5.0 §5). Immutable once made.
//
// Named types are shared by all ranks of the host; derived ones belong to the rank that made them.
//
// Thread safety: immutable but for the committed flag, the name and the attributes, which lock.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/object/object.h"

namespace heddle::datatype {

class Datatype : public object::Object {
 public:
  // In bytes (§5.1.5 to §5.1.9).
  MPI_Count size() const noexcept { return size_; }
  MPI_Count lower_bound() const noexcept { return lower_bound_; }
  MPI_Count extent() const noexcept { return extent_; }
  MPI_Count true_lower_bound() const noexcept { return true_lower_bound_; }
  MPI_Count true_extent() const noexcept { return true_extent_; }

  // True if `count` elements are count * size() adjacent bytes from the buffer's address on.
  bool dense() const noexcept { return dense_; }

  bool committed() const noexcept;

  // The ABI's constant of a named type, MPI_DATATYPE_NULL of a derived one.
  MPI_Datatype named() const noexcept { return named_; }

 protected:
  MPI_Count size_ = 0, lower_bound_ = 0, extent_ = 0, true_lower_bound_ = 0, true_extent_ = 0;
  bool dense_ = false;
  MPI_Datatype named_ = MPI_DATATYPE_NULL;

  using Object::Object;
};

// nullptr if the handle is not a datatype, MPI_DATATYPE_NULL included.
Datatype* from_handle(MPI_Datatype handle) noexcept;

// A named type by its ABI constant; requires that it is one.
Datatype& named(MPI_Datatype handle) noexcept;

}  // namespace heddle::datatype
