// user_op.h — the operations that a program makes, and the other functions of MPI 5.0 §6.9.5 to
// §6.9.7.
//
// Thread safety: any strand of the rank. A user's function may switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/op/op.h"

namespace heddle::op {

// MPI_Op_create and its twin for large counts. The new operation comes with the caller's reference.
Error create(MPI_User_function* function, int commute, Op** out);
Error create(MPI_User_function_c* function, int commute, Op** out);

// Takes the handle out of the table and sets it to MPI_OP_NULL.
Error free(MPI_Op* handle);

Error is_commutative(const Op* op, int* commute);

// Requires op->check(type).
Error reduce_local(const void* in, void* inout, MPI_Count count, const datatype::Datatype* type,
                   const Op* op);

}  // namespace heddle::op
