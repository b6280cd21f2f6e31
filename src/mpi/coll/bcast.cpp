// One rank's data to all (MPI 5.0 §6.4).
#include "mpi/coll/coll.h"
#include "mpi/coll/tree.h"
#include "mpi/coll/wire.h"

namespace heddle::coll {

namespace {

Error bcast_in_tree(Buffer data, int root, Comm& comm) {
  const Wire wire{comm, kBcastTag};
  const Tree tree(comm.size(), comm.rank(), root, Tree::star_for(data.bytes()));
  if (tree.parent() >= 0) {
    if (Error e = wire.receive(data, tree.parent())) return e;
  }
  Batch sends(wire);
  if (tree.lower() >= 0) {
    if (Error e = sends.send(data, tree.lower())) return e;
  }
  for (int i = 0; i < tree.upper_count(); ++i) {
    if (Error e = sends.send(data, tree.upper(i))) return e;
  }
  return sends.finish();
}

}  // namespace

Error bcast(Buffer data, int root, Comm& comm) {
  if (!comm.is_inter()) return bcast_in_tree(data, root, comm);
  const Wire across{comm, kBcastTag};
  if (root == MPI_PROC_NULL) return {};
  if (root == MPI_ROOT) return across.send(data, 0);
  if (comm.rank() == 0) {
    if (Error e = across.receive(data, root)) return e;
  }
  return bcast_in_tree(data, 0, comm.local_comm());
}

}  // namespace heddle::coll
