// wait.h — MPI_Wait and its kin (MPI 5.0 §3.7.3, §3.7.5). All of them may switch.
//
// Waiting for any of several enrolls the one strand at all of them; see completion.h, I1.
//
// Thread safety: any strand of the rank; two may not wait for one request at a time (§11.6).

#pragma once

#include "mpi/request/complete.h"

namespace heddle::request {

Error wait(MPI_Request* handle, MPI_Status* status, Blamed* blamed);
Error wait_all(MPI_Count count, MPI_Request* handles, MPI_Status* statuses, Blamed* blamed);
Error wait_any(MPI_Count count, MPI_Request* handles, int* index, MPI_Status* status,
               Blamed* blamed);
Error wait_some(MPI_Count count, MPI_Request* handles, int* done_count, int* indices,
                MPI_Status* statuses, Blamed* blamed);

}  // namespace heddle::request
