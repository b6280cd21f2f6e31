// receive.h — receives, blocking and not (MPI 5.0 §3.2.4, §3.7).
//
// Thread safety: any strand of the rank.

#pragma once

#include "mpi/p2p/port.h"
#include "mpi/p2p/receive_request.h"

namespace heddle::p2p {

// Returns when the message is in the buffer. `status` may be MPI_STATUS_IGNORE. May switch.
Error recv_from_rank(datatype::Buffer buffer, const Source& from, MPI_Status* status);
[[gnu::always_inline]] inline Error recv(datatype::Buffer buffer, const Source& from,
                                         MPI_Status* status) {
  if (from.rank != MPI_PROC_NULL) [[likely]]
    return recv_from_rank(buffer, from, status);
  if (status != MPI_STATUS_IGNORE) request::write_status(status, request::kFromNobody);
  return {};
}

// Starts a receive whose request is made already. `attended`: see Port::receive.
inline void begin(ReceiveRequest& receive, bool attended = false) noexcept {
  if (Port::here().receive(receive, attended)) receive.complete();
}

[[gnu::always_inline]] inline Error irecv(datatype::Buffer buffer, const Source& from,
                                          request::Request** request) {
  ReceiveRequest* const made = request::make<ReceiveRequest>(buffer, from).leak();
  if (made == nullptr) [[unlikely]]
    return request::no_memory();
  made->hold(from.comm);
  if (Port::here().receive(*made, true)) made->complete_unseen();
  *request = made;
  return {};
}

// MPI_Recv_init.
Error recv_init(datatype::Buffer buffer, const Source& from, request::Request** request);

}  // namespace heddle::p2p
