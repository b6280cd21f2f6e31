// complete.h — the last step of every wait and test: writes the status and the error, and ends the
// handle.
//
// A request that was completed and is not persistent is freed and its handle set to
// MPI_REQUEST_NULL (MPI 5.0 §3.7.3). An error of a request is an error of its communicator: that
// one is `blamed`, and its handler is called.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/request/lookup.h"

namespace heddle::request {

using Blamed = object::Ref<comm::Comm>;

// The end of an activation, when its outcome has been read.
[[gnu::always_inline]] inline void retire_activation(MPI_Request* handle,
                                                     Request& request) noexcept {
  const auto bits = reinterpret_cast<object::HandleBits>(*handle);
  if (request.life() == Request::Life::kBare) [[likely]] {
    lifetime::end_bare_in_slot(request, bits);
  } else if (request.life() == Request::Life::kOnce) {
    lifetime::end_in_slot(request, bits);
  } else if (request.persistent()) {
    request.become_inactive();
    return;
  }
  *handle = MPI_REQUEST_NULL;
}

// Ends a done request; writes its status without MPI_ERROR. Returns the operation's error, and then
// stores its communicator in *blamed.
Error conclude(MPI_Request* handle, Request& request, MPI_Status* status, Blamed* blamed);

// Concludes the requests of a call that completes several: errors go into the statuses (§3.7.5).
// The error handler gets the first one: its class, on its communicator (§9.3.1).
//
//   StatusArray results(statuses);
//   results.conclude(i, place, handle, request, blamed) for each, `place` in the statuses
//   return results.verdict();
class StatusArray {
 public:
  explicit StatusArray(MPI_Status* statuses) noexcept : statuses_(statuses) {}

  [[gnu::always_inline]] void conclude(MPI_Count index, MPI_Count place, MPI_Request* handle,
                                       Request& request, Blamed* blamed) {
    if (request.outcome().error_class != MPI_SUCCESS || first_) [[unlikely]]
      return conclude_slow(index, place, handle, request, blamed);
    write_status(at(place), request.outcome());
    retire_activation(handle, request);
  }

  // MPI_ERR_IN_STATUS with the first error's sentence, if there was one. Then MPI_ERROR is set in
  // all statuses that were written.
  Error verdict();

 private:
  // conclude() after an operation has failed, or where the program writes the status.
  void conclude_slow(MPI_Count index, MPI_Count place, MPI_Request* handle, Request& request,
                     Blamed* blamed);
  MPI_Status* at(MPI_Count place) const noexcept {
    return statuses_ == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses_ + place;
  }

  MPI_Status* const statuses_;
  // I1  Places are filled in order, and no operation's MPI_ERROR is written until one has failed.
  Error first_;
  MPI_Count first_index_ = 0;
};

}  // namespace heddle::request
