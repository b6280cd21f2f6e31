#include "mpi/coll/neighbors.h"

#include "mpi/coll/ticket.h"

namespace heddle::coll {

namespace {

using topo::Neighborhood;

// `out(block)` is what goes out of that block of the send buffer. All messages are under way at
// once; the order of receives says which message of a rank that has several edges here goes where.
template <class Out>
Error along_edges(const Wire& wire, const Neighborhood& neighbors, Out out, const Pieces& receive) {
  Batch batch(wire);
  for (const Neighborhood::Edge& edge : neighbors.sources) {
    batch.receive(receive[edge.block], edge.rank);
  }
  for (const Neighborhood::Edge& edge : neighbors.destinations) {
    batch.send(out(edge.block), edge.rank);
  }
  return batch.finish();
}

}  // namespace

Error NeighborAllgather::perform(const Ticket& ticket) const {
  return along_edges(
      ticket.wire(), *neighbors, [&](int) { return send; }, receive);
}

Error NeighborAlltoall::check() {
  if (Error e = topo::find_neighborhood(comm, &neighbors)) return e;
  if (Error e = receive.hold_types("recvtypes", neighbors->blocks_in)) return e;
  return send.hold_types("sendtypes", neighbors->blocks_out);
}

Error NeighborAlltoall::perform(const Ticket& ticket) const {
  return along_edges(
      ticket.wire(), *neighbors, [&](int block) -> ConstBuffer { return send[block]; }, receive);
}

}  // namespace heddle::coll
