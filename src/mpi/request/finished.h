// finished.h — one request for all operations that are done when their call returns and leave no
// outcome.
//
// Most sends are like that: the message has been copied, and the status of a send says nothing.
// Each rank has one request for all of them, which is always done. Its handle stays the same and is
// never retired: a wait, a test or a free only puts MPI_REQUEST_NULL into the program's variable.
//
//   MPI_Isend, a small message ──► finished() ──► the same handle each time
//                              ──► MPI_Waitall: nothing to do
//   MPI_Isend, a large message ──► a SendRequest of its own
//
// So a program that waits twice for copies of such a handle gets no error, although MPI 5.0 §3.7.3
// calls this erroneous.
//
// Thread safety: any strand of the rank; the request is constant.

#pragma once

#include "exec/rank/rank.h"
#include "mpi/request/request.h"

namespace heddle::request {

class Finished final : public Request {
 public:
  Finished() noexcept;  // gives itself its handle
  ~Finished() override = default;
};

extern const RankLocal<Finished> finished_of_rank;

// The calling rank's. Requires Rank::current().
inline Finished& finished() noexcept {
  return finished_of_rank.get();
}

}  // namespace heddle::request
