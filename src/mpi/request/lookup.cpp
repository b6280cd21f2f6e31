#include "mpi/request/lookup.h"

namespace heddle::request {

Error bad_request(MPI_Request handle) {
  return Error::make(MPI_ERR_REQUEST,
                     "argument request is %p, which is no request of this rank: freed, completed "
                     "or never made",
                     static_cast<void*>(handle));
}

Error bad_request(MPI_Count index, MPI_Request handle) {
  return Error::make(MPI_ERR_REQUEST,
                     "argument array_of_requests has %p at index %lld, which is no request of this "
                     "rank: freed, completed or never made",
                     static_cast<void*>(handle), static_cast<long long>(index));
}

Error check_all(MPI_Count count, const MPI_Request* handles) {
  for (MPI_Count i = 0; i < count; ++i) {
    if (handles[i] != MPI_REQUEST_NULL && from_handle(handles[i]) == nullptr) {
      return bad_request(i, handles[i]);
    }
  }
  return {};
}

}  // namespace heddle::request
