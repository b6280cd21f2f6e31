// Pieces to one rank and back (MPI 5.0 §6.5, §6.6).
//
// The root talks to each rank itself: a tree would send as many messages and copy most data more
// than once.
#include "mpi/coll/bodies.h"
#include "mpi/object/in_call.h"

namespace heddle::coll {

namespace {

constexpr std::size_t kWindow = 32;  // messages under way at a time

bool is_root(int root, const Comm& comm) {
  return comm.is_inter() ? root == MPI_ROOT : root == comm.rank();
}

// False where the root's own piece counts for nothing (§6.2.3).
bool has_own(const void* own, bool at_root, const Comm& comm) {
  return !at_root || (!comm.is_inter() && own != MPI_IN_PLACE);
}

}  // namespace

Error gather_by(const Wire& wire, ConstBuffer send, const Pieces& receive, int root) {
  const Comm& comm = wire.comm;
  if (root == MPI_PROC_NULL) return {};
  const bool at_root = is_root(root, comm);
  const object::InCall in_call(&comm, has_own(send.data, at_root, comm) ? send.type : nullptr,
                               at_root ? receive.type() : nullptr);
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
  const object::InCall in_call(&comm, has_own(receive.data, at_root, comm) ? receive.type : nullptr,
                               at_root ? send.type() : nullptr);
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

Error gather(ConstBuffer send, const Pieces& receive, int root, Comm& comm) {
  return gather_by(Ticket(comm, 0).wire(), send, receive, root);
}

Error scatter(const Pieces& send, Buffer receive, int root, Comm& comm) {
  return scatter_by(Ticket(comm, 0).wire(), send, receive, root);
}

}  // namespace heddle::coll
