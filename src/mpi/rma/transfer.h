// transfer.h — put, get, accumulate and their kin (MPI 5.0 §12.3): copies by the origin.
//
//   call                                  does
//   ------------------------------------  ---------------------------------------------------------
//   put, get                              copies between the two layouts, without a lock
//   accumulate, get_accumulate,           combine under stripes (stripes.h), a page at a time
//   fetch_and_op, compare_and_swap        the same for one element
//
// In one process the data has moved when the call returns, for the origin and for the target. At a
// target in another process a put or accumulate has left, and what fetches has its answer
// (remote.h). Either way the origin is done, so the request of MPI_Rput and its kin is finished.
//
// Each call checks the target's rank, that the rank has an epoch there, and that what it touches
// lies in the target's memory. A target of MPI_PROC_NULL ends the call at once.
//
// Thread safety: any strand. May switch where the target is in another process.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/datatype/buffer.h"
#include "mpi/op/op.h"
#include "mpi/request/request.h"
#include "mpi/rma/place.h"

namespace heddle::rma {

using datatype::Buffer;
using datatype::ConstBuffer;

Error put(const ConstBuffer& origin, const Place& place, Window& window);
Error get(const Buffer& origin, const Place& place, Window& window);
Error accumulate(const ConstBuffer& origin, const Place& place, const op::Op& op, Window& window);
// With MPI_NO_OP `origin` counts for nothing.
Error get_accumulate(const ConstBuffer& origin, const Buffer& result, const Place& place,
                     const op::Op& op, Window& window);
Error fetch_and_op(const void* origin, void* result, const Place& place, const op::Op& op,
                   Window& window);
Error compare_and_swap(const void* origin, const void* compare, void* result, const Place& place,
                       Window& window);

// The request forms. They need an epoch of locks.
Error rput(const ConstBuffer& origin, const Place& place, Window& window, request::Request** out);
Error rget(const Buffer& origin, const Place& place, Window& window, request::Request** out);
Error raccumulate(const ConstBuffer& origin, const Place& place, const op::Op& op, Window& window,
                  request::Request** out);
Error rget_accumulate(const ConstBuffer& origin, const Buffer& result, const Place& place,
                      const op::Op& op, Window& window, request::Request** out);

}  // namespace heddle::rma
