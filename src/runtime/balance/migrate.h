// migrate.h — the extensions of heddle/mpix.h that name the worker of a rank, or say what it has
// been loaded with.
//
// Thread safety: any strand of a rank.

#pragma once

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "runtime/crew/resident.h"

namespace heddle::runtime {

// Fails where ranks have no workers.
Error check_workers();

// A peer of the calling rank; null: it is in another process.
Resident* find_here(const comm::Comm& comm, int rank) noexcept;

// `rank` is a peer of the calling rank. Both fail where it is on another host, or runs on no
// worker. Returns at once: the strands go at their next turns (resident.h).
Error migrate(const comm::Comm& comm, int rank, int worker);
// The worker where its main strand is, or goes, of so many.
Error get_worker(const comm::Comm& comm, int rank, int* worker, int* workers);

// What they have been loaded with since measuring began, which is now at the latest.
Error get_rank_load(const comm::Comm& comm, int rank, double* seconds);
Error get_worker_load(int worker, double* seconds);

}  // namespace heddle::runtime
