#include "mpi/request/complete.h"

#include <string>

namespace heddle::request {

Error conclude(MPI_Request* handle, Request& request, MPI_Status* status, Blamed* blamed) {
  Error error;
  if (request.outcome().error_class == MPI_SUCCESS) [[likely]] {
    write_status(status, request.outcome());
  } else {
    error = request.report(status);
    if (Error e = request.verdict()) error = std::move(e);
    *blamed = request.comm();
  }
  retire_activation(handle, request);
  return error;
}

void StatusArray::conclude_slow(MPI_Count index, MPI_Count place, MPI_Request* handle,
                                Request& request, Blamed* blamed) {
  // A handle that is in the array twice, which is wrong, has ended with its first place.
  if (active_from(*handle) != &request) return write_empty_status(at(place));
  Blamed not_first;
  Error error = request::conclude(handle, request, at(place), first_ ? &not_first : blamed);
  if (error && !first_) {
    first_index_ = index;
    // The statuses before this one succeeded.
    for (MPI_Count i = 0; i < place && statuses_ != MPI_STATUSES_IGNORE; ++i) {
      statuses_[i].MPI_ERROR = MPI_SUCCESS;
    }
  }
  if (MPI_Status* status = at(place); status != MPI_STATUS_IGNORE && (error || first_)) {
    status->MPI_ERROR = error ? error.error_class() : MPI_SUCCESS;
  }
  if (!first_) first_ = std::move(error);
}

Error StatusArray::verdict() {
  if (!first_) [[likely]]
    return {};
  const std::string text(first_.text());
  return Error::make(MPI_ERR_IN_STATUS, "the request at index %lld of array_of_requests: %s",
                     static_cast<long long>(first_index_), text.c_str())
      .told_as(first_.error_class());
}

}  // namespace heddle::request
