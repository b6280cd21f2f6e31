// target.h — the destination of a send, and the source of a receive, as ranks of a communicator.
//
// Thread safety: plain data.

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

  // The key by which a message to there is matched.
  match::Key key() const noexcept {
    return {match::context_of(comm->context(), static_cast<unsigned>(plane)), comm->rank(), tag};
  }
};

struct Source {
  comm::Comm* comm;
  int rank;  // among comm->peers(), MPI_ANY_SOURCE or MPI_PROC_NULL
  int tag;   // or MPI_ANY_TAG
  Plane plane = Plane::kUser;

  match::Pattern pattern() const noexcept {
    return {match::context_of(comm->context(), static_cast<unsigned>(plane)), rank, tag};
  }
};

}  // namespace heddle::p2p
