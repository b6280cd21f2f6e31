// One rank's data to all (MPI 5.0 §6.4).
#include <algorithm>

#include "mpi/coll/coll.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/meeting.h"
#include "mpi/coll/wire.h"
#include "mpi/object/in_call.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

// A small payload stays on the board and the root goes on; from a large one the others copy
// straight out of the root's buffer while it waits.
Error give(Buffer data, Visit& visit, MPI_Count board_bytes) {
  const MPI_Count bytes = data.bytes();
  if (bytes > board_bytes) {
    visit.lend(data);
    return visit.meet();
  }
  const Buffer copy{visit.board(), bytes, &datatype::named(MPI_BYTE)};
  p2p::transfer(data, copy, bytes);
  visit.lend(copy);
  return visit.leave();
}

Error take(Buffer data, Visit& visit, int root, const Comm& comm) {
  const ConstBuffer from = visit.borrow();
  const MPI_Count bytes = from.bytes(), room = data.bytes();
  p2p::transfer(from, data, std::min(bytes, room));
  if (Error e = visit.leave()) return e;
  if (bytes <= room) [[likely]]
    return {};
  return Error::make(MPI_ERR_TRUNCATE, "root %d of %s gives %lld bytes, but there is room for %lld",
                     root, comm::describe(comm).c_str(), static_cast<long long>(bytes),
                     static_cast<long long>(room));
}

Error bcast_here(Buffer data, int root, Comm& comm) {
  if (comm.size() == 1) return {};
  Visit visit(comm, call_of(What::kBcast, root, 0));
  if (comm.rank() != root) return take(data, visit, root, comm);
  return give(data, visit, Meeting::of(comm).board_bytes());
}

}  // namespace

Error bcast(Buffer data, int root, Comm& comm) {
  if (root == MPI_PROC_NULL) return {};
  const object::InCall in_call(&comm, data.type);
  if (!comm.is_inter()) return bcast_here(data, root, comm);
  const Wire across{comm, kBcastTag};
  if (root == MPI_ROOT) return across.send(data, 0);
  FirstError error;
  if (comm.rank() == 0) error.note(across.receive(data, root));
  error.note(bcast_here(data, 0, comm.local_comm()));
  return error.take();
}

}  // namespace heddle::coll
