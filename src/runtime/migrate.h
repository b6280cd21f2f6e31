// migrate.h — the extensions of heddle/mpix.h that name the worker of a rank.
//
// Thread safety: any strand of a rank.

#pragma once

#include "base/error.h"
#include "mpi/comm/comm.h"

namespace heddle::runtime {

// `rank` is a peer of the calling rank. Both fail where it is on another host, or runs on no worker.
// Returns at once: the strands go at their next turns (resident.h).
Error migrate(const comm::Comm& comm, int rank, int worker);
// The worker where its main strand is, or goes, of so many.
Error get_worker(const comm::Comm& comm, int rank, int* worker, int* workers);

}  // namespace heddle::runtime
