// target.h — whom a message goes to, whom it is expected from.

#pragma once

#include "mpi/comm/comm.h"
#include "mpi/match/envelope.h"

namespace heddle::p2p {

using comm::Plane;

struct Target {
  comm::Comm* comm;
  int rank;  // among comm->peers(), or MPI_PROC_NULL
  int tag;
  Plane plane = Plane::kUser;

  // Requires that rank is not MPI_PROC_NULL.
  world::Process& process() const noexcept { return comm->peers().member(rank); }

  // What a message to there is matched by.
  match::Key key() const noexcept {
    return {match::scope_of(comm->context(), static_cast<unsigned>(plane)), comm->rank(), tag};
  }
};

struct Source {
  comm::Comm* comm;
  int rank;  // among comm->peers(), MPI_ANY_SOURCE or MPI_PROC_NULL
  int tag;   // or MPI_ANY_TAG
  Plane plane = Plane::kUser;

  match::Pattern pattern() const noexcept {
    return {match::scope_of(comm->context(), static_cast<unsigned>(plane)), rank, tag};
  }
};

}  // namespace heddle::p2p
