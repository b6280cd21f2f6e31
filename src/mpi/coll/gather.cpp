// Pieces to one rank and back (MPI 5.0 §6.5, §6.6).
//
// The root talks to each rank itself: a tree would send as many messages and copy most data more
// than once.
#include "mpi/coll/bodies.h"

namespace heddle::coll {

namespace {

constexpr std::size_t kWindow = 32;  // messages under way at a time

bool is_root(int root, const Comm& comm) {
  return comm.is_inter() ? root == MPI_ROOT : root == comm.rank();
}

// Only what counts at this rank (§6.2.3).
Uses uses_of(const ConstBuffer& own, const Pieces& pieces, int root, const Comm& comm) {
  if (root == MPI_PROC_NULL) return {};
  const bool at_root = is_root(root, comm);
  const bool has_own = !at_root || (!comm.is_inter() && own.data != MPI_IN_PLACE);
  return {has_own ? own.type : nullptr, at_root ? pieces.type() : nullptr};
}
bool keep_arrays_of(Pieces& pieces, int root, const Comm& comm) noexcept {
  return !is_root(root, comm) || pieces.keep_arrays(comm.peers().size());
}

}  // namespace

Error gather_by(const Wire& wire, ConstBuffer send, const Pieces& receive, int root) {
  const Comm& comm = wire.comm;
  if (root == MPI_PROC_NULL) return {};
  const bool at_root = is_root(root, comm);
  if (!at_root) return wire.send(send, root);

  Batch batch(wire);
  for (int i = 0; i < comm.peers().size(); ++i) {
    const Buffer piece = receive[i];
    if (comm.is_inter() || i != root) {
      batch.receive(piece, i);
    } else if (send.data != MPI_IN_PLACE) {
      batch.note(to_oneself(send, piece));
    }
    if (batch.pending() == kWindow) batch.wait();
  }
  return batch.finish();
}

Error scatter_by(const Wire& wire, const Pieces& send, Buffer receive, int root) {
  const Comm& comm = wire.comm;
  if (root == MPI_PROC_NULL) return {};
  const bool at_root = is_root(root, comm);
  if (!at_root) return wire.receive(receive, root);

  Batch batch(wire);
  for (int i = 0; i < comm.peers().size(); ++i) {
    const Buffer piece = send[i];
    if (comm.is_inter() || i != root) {
      batch.send(piece, i);
    } else if (receive.data != MPI_IN_PLACE) {
      batch.note(to_oneself(piece, receive));
    }
    if (batch.pending() == kWindow) batch.wait();
  }
  return batch.finish();
}

Uses Gather::uses() const noexcept {
  return uses_of(send, receive, root, comm);
}

bool Gather::keep_arrays() noexcept {
  return keep_arrays_of(receive, root, comm);
}

Error Gather::perform(const Ticket& ticket) const {
  return gather_by(ticket.wire(), send, receive, root);
}

Uses Scatter::uses() const noexcept {
  return uses_of(receive, send, root, comm);
}

bool Scatter::keep_arrays() noexcept {
  return keep_arrays_of(send, root, comm);
}

Error Scatter::perform(const Ticket& ticket) const {
  return scatter_by(ticket.wire(), send, receive, root);
}

}  // namespace heddle::coll
