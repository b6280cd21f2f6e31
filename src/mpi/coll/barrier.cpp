// Nobody leaves before everybody has come (MPI 5.0 §6.3).
#include "mpi/coll/coll.h"
#include "mpi/coll/tree.h"
#include "mpi/coll/wire.h"

namespace heddle::coll {

namespace {

datatype::Buffer nothing() {
  return {nullptr, 0, &datatype::named(MPI_BYTE)};
}

// Returns at rank 0 when everybody has come; at the others once they have said so.
Error report(const Tree& tree, const Wire& wire) {
  for (int i = tree.upper_count(); i-- > 0;) {
    if (Error e = wire.receive(nothing(), tree.upper(i))) return e;
  }
  return tree.parent() < 0 ? Error{} : wire.send(nothing(), tree.parent());
}

Error release(const Tree& tree, const Wire& wire) {
  if (tree.parent() >= 0) {
    if (Error e = wire.receive(nothing(), tree.parent())) return e;
  }
  for (int i = 0; i < tree.upper_count(); ++i) {
    if (Error e = wire.send(nothing(), tree.upper(i))) return e;
  }
  return {};
}

}  // namespace

Error barrier(Comm& comm) {
  Comm& side = comm.is_inter() ? comm.local_comm() : comm;
  const Wire wire{side, kBarrierTag};
  const Tree tree(side.size(), side.rank(), 0, Tree::star_for(0));
  if (Error e = report(tree, wire)) return e;
  if (comm.is_inter() && comm.rank() == 0) {
    const Wire across{comm, kBarrierTag};
    if (Error e = across.swap(nothing(), 0, nothing(), 0)) return e;
  }
  return release(tree, wire);
}

}  // namespace heddle::coll
