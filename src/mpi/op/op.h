// op.h — a reduction operation, predefined or the user's (MPI 5.0 §6.9). Immutable.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/datatype/datatype.h"
#include "mpi/object/object.h"

namespace heddle::op {

class Op : public object::Object {
 public:
  bool commutative() const noexcept { return commutative_; }

  // An error if the operation is not defined on the type (§6.9.2), naming both.
  virtual Error check(const datatype::Datatype& type) const = 0;

  // inout[i] = in[i] op inout[i] for `count` elements of `type`, in the order of the standard: `in`
  // comes from the lower ranks. Requires check(). A user's function may switch.
  virtual void apply(const void* in, void* inout, MPI_Count count,
                     const datatype::Datatype& type) const = 0;

 protected:
  Op(bool commutative, Lifetime lifetime) noexcept
      : Object(object::Kind::kOp, lifetime), commutative_(commutative) {}

 private:
  const bool commutative_;
};

// nullptr if the handle is not an operation, MPI_OP_NULL included.
Op* from_handle(MPI_Op handle) noexcept;

}  // namespace heddle::op
