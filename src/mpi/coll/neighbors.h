// neighbors.h — collectives among the neighbours of a topology (MPI 5.0 §8.6).
//
// Each edge of the topology carries one message, and which block of a buffer belongs to it stands
// in mpi/topo/neighborhood.h. Ranks with a common edge wait for each other, others do not; so no
// host group is used.
//
// They are operations as in coll.h: blocking, nonblocking and persistent calls are made of them.
// check() fails where the communicator has no topology.
//
// Thread safety: one call at a time on a communicator, as the standard asks.

#pragma once

#include "mpi/coll/coll.h"
#include "mpi/topo/of_comm.h"

namespace heddle::coll {

// Each rank gives the same data to all its destinations.
struct NeighborAllgather {
  ConstBuffer send;
  Pieces receive;
  Comm& comm;
  const topo::Neighborhood* neighbors = nullptr;  // found by check(); the communicator's

  Error check() { return topo::find_neighborhood(comm, &neighbors); }
  Uses uses() const noexcept { return {receive.type(), send.type}; }
  bool keep_arrays() noexcept { return receive.keep_arrays(neighbors->blocks_in); }
  int phases() const noexcept { return 0; }
  Error perform(const Ticket& ticket) const;
};

struct NeighborAlltoall {
  Pieces send, receive;
  Comm& comm;
  const topo::Neighborhood* neighbors = nullptr;  // found by check(), too

  Error check();
  Uses uses() const noexcept { return {receive.type(), send.type()}; }
  bool keep_arrays() noexcept {
    return receive.keep_arrays(neighbors->blocks_in) && send.keep_arrays(neighbors->blocks_out);
  }
  int phases() const noexcept { return 0; }
  Error perform(const Ticket& ticket) const;
};

}  // namespace heddle::coll
