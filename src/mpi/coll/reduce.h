// reduce.h — the reductions that others are made of. Private to this folder.

#pragma once

#include "mpi/coll/coll.h"

namespace heddle::coll {

// Reduces over an intracommunicator. `own` is the rank's contribution and may be result.data at the
// root; result.data counts at the root only. May switch.
Error reduce_here(const void* own, Buffer result, const op::Op& op, int root, Comm& comm);

// The contribution of a rank.
inline const void* own_of(const void* send, const Buffer& result) {
  return send == MPI_IN_PLACE ? result.data : send;
}

}  // namespace heddle::coll
