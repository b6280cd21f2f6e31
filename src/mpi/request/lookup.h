// lookup.h — from the program's request handles to requests.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/object/handle_table.h"
#include "mpi/request/request.h"

namespace heddle::request {

// nullptr if the handle is no request of the calling rank, MPI_REQUEST_NULL included.
inline Request* from_handle(MPI_Request handle) noexcept {
  return object::find_as<Request>(object::Kind::kRequest, handle);
}

// Gives a request that make() has made its handle, with the caller's reference, and takes both back;
// nullptr like from_handle(). Of several strands that retire one handle exactly one gets the request.
inline object::HandleBits publish(Request* request) noexcept {
  return object::publish_in_place(request);
}
inline object::Ref<Request> retire(MPI_Request handle) noexcept {
  return object::Ref<Request>::adopt(static_cast<Request*>(object::retire_in_place(
      object::Kind::kRequest, reinterpret_cast<object::HandleBits>(handle))));
}

// What is said of a handle that is no request.
Error bad_request(MPI_Request handle);
Error bad_request(MPI_Count index, MPI_Request handle);  // element of array_of_requests

// An error if an element of the array is neither a request nor MPI_REQUEST_NULL.
Error check_all(MPI_Count count, const MPI_Request* handles);

// The request if it can complete: neither null nor inactive. Requires a handle that was checked.
inline Request* active_from(MPI_Request handle) noexcept {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  Request* request = from_handle(handle);
  return request != nullptr && request->active() ? request : nullptr;
}

}  // namespace heddle::request
