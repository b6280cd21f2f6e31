// start.h — what a program does to a request besides waiting: start, free, cancel (MPI 5.0 §3.7.3,
// §3.8.4, §3.9).
//
// Thread safety: any strand of the rank.

#pragma once

#include "mpi/request/complete.h"

namespace heddle::request {

// MPI_Start, MPI_Startall. May switch.
Error start(MPI_Request* handle, Blamed* blamed);
Error start_all(MPI_Count count, MPI_Request* handles, Blamed* blamed);

// MPI_Request_free. An active operation goes on; its request is kept (detached.h) until it is done
// or the rank ends. Costs the same however many are kept. Of a generalized request: generalized.h.
Error free(MPI_Request* handle, Blamed* blamed);

// Requests of communicators of sessions that were freed while active. Other ranks may wait for what
// they do, and no barrier says that it is done. True if some are not done; returns when they are
// (may switch).
bool awaits_detached() noexcept;
void await_detached();

// Called at the end of the last use of the library, while what they refer to is still there: ends
// the requests that were freed while active. Those that are not done are taken back.
void end_detached();

// MPI_Cancel.
Error cancel(MPI_Request* handle, Blamed* blamed);

}  // namespace heddle::request
