// open.h — how files begin and end (MPI 5.0 §14.2.1 to §14.2.3).
//
// Thread safety: collective calls one at a time on a communicator or file. May switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/io/file.h"

namespace heddle::io {

// Collective. All members succeed, or none.
Error open(comm::Comm& comm, const char* name, int mode, const info::Info* hints, File** out);
// Collective. The handle becomes MPI_FILE_NULL.
Error close(MPI_File* handle);
Error remove(const char* name);

}  // namespace heddle::io
