// persistent.h — persistent collectives (MPI 5.0 §6.13).
//
// The calls that make them come in one order at all members, the calls that start them need not. So
// each has phases and messages of its own: those of a duplicate of its communicator, which lives as
// long as the request.
//
// Thread safety: as for blocking collectives.

#pragma once

#include <utility>

#include "mpi/coll/started.h"
#include "mpi/comm_make/comm_make.h"

namespace heddle::comm_make {

// Collective. May switch.
template <class Operation>
Error init_collective(Operation operation, request::Request** out) {
  object::Ref<Comm> own;
  if (!coll::is_alone(operation.comm)) {
    if (Error e = dup_bare(operation.comm, &own)) return e;
  }
  return coll::init(std::move(operation), std::move(own), out);
}

}  // namespace heddle::comm_make
