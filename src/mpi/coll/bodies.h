// bodies.h — the steps of collectives after they have taken their tickets.
//
// A step on this side (its communicator is an intracommunicator) goes through one phase of its
// host group; one that has no phase has nothing to do but copy. All may switch. Also for
// collectives of other modules (mpi/io).
//
// Thread safety: any strand of the rank, once for each phase or wire.

#pragma once

#include "mpi/coll/coll.h"
#include "mpi/coll/ticket.h"

namespace heddle::coll {

Error barrier_in(const Phase& phase);
// All members must give the same `call` (visit.h).
Error barrier_in(const Phase& phase, std::uint32_t call);

// `failed`: the root has no data; all others get this error class.
Error bcast_in(const Phase& phase, const Buffer& data, int root, int failed = MPI_SUCCESS);

// `own` is the rank's contribution and may be result.data where that counts: at the root, or at
// all. A member that has `failed` gives nothing; all members that wait get an error.
Error reduce_in(const Phase& phase, const void* own, Buffer result, const op::Op& op, int root,
                bool failed = false);

// Called by rank 0 of each side of an intercommunicator: gives `ours`, which its side has combined;
// nothing after an `error`. Returns an error class: why nothing has come to `theirs`.
int swap_sums(const Wire& wire, const Buffer& ours, const Buffer& theirs, FirstError& error);

// `root` as in MPI_Gather and MPI_Scatter, on intercommunicators, too.
Error gather_by(const Wire& wire, ConstBuffer send, const Pieces& receive, int root);
Error scatter_by(const Wire& wire, const Pieces& send, Buffer receive, int root);

// The contribution of a rank.
inline const void* own_of(const void* send, const Buffer& result) {
  return send == MPI_IN_PLACE ? result.data : send;
}

}  // namespace heddle::coll
