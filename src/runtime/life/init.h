// init.h — a rank enters and leaves MPI (MPI 5.0 §11.2, §11.3).
//
// Thread safety: initialize and finalize once a rank; the queries any strand, any time.

#pragma once

#include <mpi.h>

#include "base/error.h"

namespace heddle::runtime {

// Gives the rank MPI_COMM_WORLD and MPI_COMM_SELF. A process that is no rank yet becomes one
// (singleton.h): the only one of its own job, or one of a job of several processes.
Error initialize(int required, int* provided);

// Collective over MPI_COMM_WORLD: deletes the attributes of MPI_COMM_SELF, waits for all, and gives
// up the communicators. May switch.
Error finalize();

// The functions that are allowed at any time.
Error initialized(int* flag);
Error finalized(int* flag);

Error query_thread(int* provided);
Error is_thread_main(int* flag);

}  // namespace heddle::runtime
