// status.h — what a completed operation tells the program (MPI 5.0 §3.2.5).
//
//   MPI_internal   [0] [1]           [2]          [3] [4]
//                  bytes, 64 bits    cancelled    0
//
// Thread safety: plain data of the caller.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/datatype/datatype.h"

namespace heddle::request {

// How an operation ended.
struct Outcome {
  int source = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  int error_class = MPI_SUCCESS;  // anything else: Request::report() and verdict() say more
  bool cancelled = false;
  MPI_Count bytes = 0;  // delivered
};

// The outcome of a receive from MPI_PROC_NULL (§3.10).
constexpr Outcome kFromNobody{MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, false, 0};

// Writes everything except MPI_ERROR, which calls that complete a single request leave alone.
// `status` may be MPI_STATUS_IGNORE.
void write_status(MPI_Status* status, const Outcome& outcome) noexcept;

// The status of a null or inactive request (§3.7.3), which has an MPI_ERROR, too.
inline void write_empty_status(MPI_Status* status) noexcept {
  write_status(status, Outcome{});
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}

MPI_Count bytes_of(const MPI_Status& status) noexcept;

// MPI_Get_count and the others, with their outputs as the MPI functions have them.
Error get_count(const MPI_Status* status, const datatype::Datatype& type, MPI_Count* count);
Error get_elements(const MPI_Status* status, const datatype::Datatype& type, MPI_Count* count);
Error set_elements(MPI_Status* status, const datatype::Datatype& type, MPI_Count count);
Error test_cancelled(const MPI_Status* status, int* flag);
Error set_cancelled(MPI_Status* status, int flag);

// Gets one field (§3.2.5 since MPI 4.1).
Error get_field(int field, int* value);
Error set_field(int* field, int value);

}  // namespace heddle::request
