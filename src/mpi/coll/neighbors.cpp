#include "mpi/coll/neighbors.h"

#include "mpi/coll/ticket.h"
#include "mpi/comm/comm_topology.h"
#include "mpi/lifetime/in_call.h"

namespace heddle::coll {

namespace {

using topo::Neighborhood;

// `out(block)` is what goes out of that block of the send buffer. All messages are under way at once; the
// order of receives says which message of a rank that has several edges here goes where.
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

Error neighbor_allgather(ConstBuffer send, const Pieces& receive, Comm& comm) {
  const Neighborhood* neighbors = nullptr;
  if (Error e = comm::find_neighborhood(comm, &neighbors)) return e;
  const lifetime::InCall in_call(&comm, receive.type(), send.type);
  return along_edges(
      Ticket(comm, 0).wire(), *neighbors, [&](int) { return send; }, receive);
}

Error neighbor_alltoall(Pieces send, Pieces receive, Comm& comm) {
  const Neighborhood* neighbors = nullptr;
  if (Error e = comm::find_neighborhood(comm, &neighbors)) return e;
  const lifetime::InCall in_call(&comm, receive.type(), send.type());
  const Wire wire = Ticket(comm, 0).wire();
  if (Error e = receive.hold_types("recvtypes", neighbors->blocks_in)) return e;
  if (Error e = send.hold_types("sendtypes", neighbors->blocks_out)) return e;
  return along_edges(
      wire, *neighbors, [&](int block) -> ConstBuffer { return send[block]; }, receive);
}

}  // namespace heddle::coll
