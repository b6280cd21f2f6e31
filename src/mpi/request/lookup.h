// lookup.h — from the program's request handles to requests.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/object/handle_table.h"
#include "mpi/request/finished.h"
#include "mpi/request/request.h"

namespace heddle::request {

// The requests of the calling rank by their handles. It finds their table once, for several
// look-ups.
class Requests {
 public:
  Requests() noexcept : table_(object::tables_of_rank.get().of(object::Kind::kRequest)) {}

  // nullptr if the handle is no request of the rank, MPI_REQUEST_NULL included.
  [[gnu::always_inline]] Request* find(MPI_Request handle) const noexcept {
    const auto bits = reinterpret_cast<object::HandleBits>(handle);
    if (is_finished(handle)) return &finished();
    object::Object* found = table_.find_direct(object::Kind::kRequest, bits);
    if (found == nullptr && handle != MPI_REQUEST_NULL) found = find_slow(bits);
    return static_cast<Request*>(found);
  }
  // The request if it can complete: neither null nor inactive. Requires a handle that was checked.
  [[gnu::always_inline]] Request* find_active(MPI_Request handle) const noexcept {
    Request* const request = find(handle);
    return request != nullptr && request->active() ? request : nullptr;
  }

 private:
  [[gnu::noinline]] static object::Object* find_slow(object::HandleBits handle) noexcept;

  const object::HandleTable& table_;
};

// Finds the request by one look-up.
inline Request* from_handle(MPI_Request handle) noexcept {
  return Requests().find(handle);
}
inline Request* active_from(MPI_Request handle) noexcept {
  return Requests().find_active(handle);
}

// Gives a request that make() has made its handle, with the caller's reference, and takes both
// back; null like from_handle(). Of several strands that retire one handle exactly one gets the
// request. The request for all that is finished (finished.h) keeps its handle; all strands that
// retire it get it.
[[gnu::always_inline]] inline object::HandleBits publish(Request* request) noexcept {
  return request == &finished() ? object::kFinishedHandle : lifetime::publish_in_slot(request);
}
object::Ref<Request> retire(MPI_Request handle) noexcept;

// The error of a handle that is no request.
Error bad_request(MPI_Request handle);
Error bad_request(MPI_Count index, MPI_Request handle);  // element of array_of_requests

// An error if an element of the array is neither a request nor MPI_REQUEST_NULL.
Error check_all(MPI_Count count, const MPI_Request* handles);

}  // namespace heddle::request
