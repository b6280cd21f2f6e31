// census.h — finds the requests of an array that are done, and completes them for the calls that
// end any, some or all of them (MPI 5.0 §3.7.5).
//
// If several are done, the standard leaves the choice of one to the library. Of receives that can
// get the same message (those with a wildcard on one communicator, or with one source and one tag)
// the choice is the one that was posted first, because they match in that order: a program that
// posts some and waits for any of them sees each sender's messages in the order in which they were
// sent. Programs rely on that without knowing (HPCC's random access does: it stops at the message
// that says "finished" and cancels its other receives). Between other receives the choice means
// nothing.
//
// Thread safety: any strand of the rank; two may not complete one request at a time (§11.6).

#pragma once

#include "mpi/request/complete.h"

namespace heddle::request {

struct Census {
  MPI_Count active = 0;
  MPI_Count done = 0;
  MPI_Count next = -1;  // the index of the one to complete; -1 if none is done
};

// All functions require handles that check_all() has passed.
Census take_census(MPI_Count count, const MPI_Request* handles);

// Ends the request at census.next for a call for any of several; with none, `*index` is
// MPI_UNDEFINED, and the status is empty if no request is active.
Error conclude_any(const Census& census, MPI_Request* handles, int* index, MPI_Status* status,
                   Blamed* blamed);

// Ends all that are done for a call for some of several; MPI_UNDEFINED of them if none is active.
Error conclude_some(MPI_Count count, MPI_Request* handles, int* done_count, int* indices,
                    MPI_Status* statuses, Blamed* blamed);

}  // namespace heddle::request
