#include "mpi/request/lookup.h"

namespace heddle::request {

object::Object* Requests::find_slow(object::HandleBits handle) noexcept {
  return object::find(object::Kind::kRequest, handle);
}

object::Ref<Request> retire(MPI_Request handle) noexcept {
  const auto bits = reinterpret_cast<object::HandleBits>(handle);
  if (is_finished(handle)) return object::Ref<Request>(&finished());
  return object::Ref<Request>::adopt(
      static_cast<Request*>(lifetime::retire_in_slot(object::Kind::kRequest, bits)));
}

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
  const Requests requests;
  for (MPI_Count i = 0; i < count; ++i) {
    if (requests.find(handles[i]) == nullptr && handles[i] != MPI_REQUEST_NULL) [[unlikely]]
      return bad_request(i, handles[i]);
  }
  return {};
}

}  // namespace heddle::request
