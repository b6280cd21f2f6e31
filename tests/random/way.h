// way.h — the ways to perform one operation of MPI: to wait in it, to start it, or to make it once and start it often.
//
// Thread safety: plain functions.

#pragma once

#include <mpi.h>

namespace heddle::testing {

enum class Way { kBlocking, kNonblocking, kPersistent };

// A collective. A persistent one is made if *request is null, and started.
template <class Blocking, class Start, class Init, class... Arguments>
int perform_as(Way way, MPI_Comm comm, MPI_Request* request, Blocking blocking, Start start,
               Init init, Arguments... arguments) {
  if (way == Way::kBlocking) return blocking(arguments..., comm);
  if (way == Way::kNonblocking) return start(arguments..., comm, request);
  if (*request == MPI_REQUEST_NULL) {
    if (const int code = init(arguments..., comm, MPI_INFO_NULL, request)) return code;
  }
  return MPI_Start(request);
}

}  // namespace heddle::testing
