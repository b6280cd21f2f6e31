// side.h — this side of an intercommunicator, or all of an intracommunicator: the members that
// meet.
//
// Thread safety: constant.

#pragma once

#include "mpi/comm/comm.h"

namespace heddle::coll {

inline comm::Comm& side_of(comm::Comm& comm) noexcept {
  return comm.is_inter() ? comm.local_comm() : comm;
}

}  // namespace heddle::coll
