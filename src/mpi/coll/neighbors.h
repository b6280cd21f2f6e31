// neighbors.h — collectives among the neighbours of a topology (MPI 5.0 §8.6).
//
// Each edge of the topology carries one message, and which block of a buffer belongs to it stands in
// mpi/topo/neighborhood.h. Ranks with a common edge wait for each other, others do not; so there is no
// meeting.
//
// Both may switch. They fail where the communicator has no topology, and what stands in coll.h about
// references and errors holds for them, too.
//
// Thread safety: one call at a time on a communicator, as the standard asks.

#pragma once

#include "mpi/coll/coll.h"

namespace heddle::coll {

// The same data to all destinations.
Error neighbor_allgather(ConstBuffer send, const Pieces& receive, Comm& comm);

Error neighbor_alltoall(Pieces send, Pieces receive, Comm& comm);

}  // namespace heddle::coll
