// of_comm.h — the virtual topology of a communicator, which lies in a slot of it
// (mpi/comm/extras.h).
//
// Thread safety: any strand; give before the program gets the handle.

#pragma once

#include <memory>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/topo/topology.h"

namespace heddle::topo {

// nullptr: none.
const Topology* topology_of(const comm::Comm& comm) noexcept;

// Requires that it has none. Its duplicates will share it.
void give_topology(comm::Comm& comm, Topology::Shape shape, int rank);

// The calling rank's neighbours; null, with an error, if there is no topology.
Error find_neighborhood(const comm::Comm& comm, const Neighborhood** out);

}  // namespace heddle::topo
