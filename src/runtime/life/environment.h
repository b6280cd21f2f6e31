// environment.h — clock, machine, memory and the end of everything (MPI 5.0 §9.1, §9.2, §9.6,
// §11.4).
//
// Thread safety: any strand, any time.

#pragma once

#include "base/error.h"
#include "mpi/comm/comm.h"

namespace heddle::runtime {

// Seconds since some moment of the past, the same for all ranks of a host (§9.6).
double wtime() noexcept;

// Resolution of wtime() in seconds.
double wtick() noexcept;

// MPI_Abort: ends the whole job, whatever the communicator, with `code` as exit status.
Error abort(comm::Comm& comm, int code);

// The host's name; `name` holds MPI_MAX_PROCESSOR_NAME characters.
Error processor_name(char* name, int* length);

}  // namespace heddle::runtime
