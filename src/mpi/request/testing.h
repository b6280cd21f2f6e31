// testing.h — MPI_Test and its kin (MPI 5.0 §3.7.3, §3.7.5, §3.7.6).
//
// A program may test in a loop, so a call that finds nothing done lets the other ranks of its
// worker run (ult::relax), and if some have run it looks once more. All of them may switch.
//
// Thread safety: any strand of the rank; two may not test one request at a time (§11.6).

#pragma once

#include "mpi/request/complete.h"

namespace heddle::request {

Error test(MPI_Request* handle, int* flag, MPI_Status* status, Blamed* blamed);
Error test_all(MPI_Count count, MPI_Request* handles, int* flag, MPI_Status* statuses,
               Blamed* blamed);
Error test_any(MPI_Count count, MPI_Request* handles, int* index, int* flag, MPI_Status* status,
               Blamed* blamed);
Error test_some(MPI_Count count, MPI_Request* handles, int* done_count, int* indices,
                MPI_Status* statuses, Blamed* blamed);

// Tell what a test would tell, without completing anything; requests stay as they are (§3.7.6).
// They fail only where a query callback does (generalized.h), with the first one's error.
Error get_status(MPI_Request handle, int* flag, MPI_Status* status);
Error get_status_all(MPI_Count count, const MPI_Request* handles, int* flag, MPI_Status* statuses);
Error get_status_any(MPI_Count count, const MPI_Request* handles, int* index, int* flag,
                     MPI_Status* status);
Error get_status_some(MPI_Count count, const MPI_Request* handles, int* done_count, int* indices,
                      MPI_Status* statuses);

}  // namespace heddle::request
