// balance.h — MPIX_Balance: asks a policy once where ranks are to be.
//
//   loads of a window ──► policy ──► places that it has changed ──► Resident::move
//   load_window.h                                                   resident.h
//
// mpiexec --balance asks the policy of even_loads.h by itself (balancing.h).
//
// Thread safety: any strand of a rank, one of the rank at a time.

#pragma once

#include "base/error.h"
#include "heddle/mpix.h"
#include "mpi/comm/comm.h"

namespace heddle::runtime {

// Asks `policy` about the peers of the calling rank; nullptr: even_loads. `moved` may be null. May
// switch if the policy does.
Error balance(const comm::Comm& comm, MPIX_Balance_function* policy, void* extra_state, int* moved);

}  // namespace heddle::runtime
