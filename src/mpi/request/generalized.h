// generalized.h — requests whose operation is the program's own (MPI 5.0 §13.2).
//
// The library only keeps the request. The program says when the operation is done, and its
// callbacks say the rest:
//
//   callback   says or does                   called by
//   ---------  ----------------------------   ----------------------------------------------------
//   query_fn   the status                     each wait or test that ends the request,
//                                             MPI_Request_get_status
//   free_fn    gives up what the program has  the wait or test that ends it, after query_fn; else
//              for the request                the later one of MPI_Request_free and
//                                             MPI_Grequest_complete
//   cancel_fn  stops the operation            MPI_Cancel
//
//   MPI_Grequest_start ──► active ──► completed ──► ended: free_fn, then the handle
//                            │                        ▲
//                            └──────► freed ──────────┘
//
// A freed request keeps its handle until it ends, since the program still completes it by a copy of
// that handle.
//
// A callback's error code is that of the MPI function which called it. If query_fn and free_fn both
// fail, it is free_fn's.
//
// Thread safety: any strand of the rank. Callbacks run without a lock and may switch.

#pragma once

#include <mpi.h>

#include <atomic>

#include "mpi/request/request.h"

namespace heddle::request {

struct GeneralizedCallbacks {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
};

class Generalized final : public Request {
 public:
  Generalized(GeneralizedCallbacks callbacks, void* extra_state) noexcept;
  ~Generalized() override = default;

  // query_fn.
  Error report(MPI_Status* status) const override;
  // free_fn.
  Error verdict() const override;

  Generalized* generalized() noexcept override { return this; }
  // MPI_Grequest_complete, MPI_Request_free, MPI_Cancel. The request may be gone afterwards.
  Error complete_by_program();
  Error free_by_program();
  Error cancel_by_program();

 private:
  Error end();

  const GeneralizedCallbacks callbacks_;
  void* const extra_state_;
  // I1  The strand that sets the second of the two bits calls end(), unless a wait or test does.
  static constexpr unsigned kCompleted = 1, kFreed = 2;
  std::atomic<unsigned> steps_{0};
};

// MPI_Grequest_start, MPI_Grequest_complete.
Error start_generalized(GeneralizedCallbacks callbacks, void* extra_state, Request** out);
Error complete_generalized(MPI_Request handle);

}  // namespace heddle::request
