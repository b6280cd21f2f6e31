// receive.h — receives, blocking and not (MPI 5.0 §3.2.4, §3.7).
//
// Thread safety: any strand of the rank.

#pragma once

#include "mpi/p2p/receive_request.h"

namespace heddle::p2p {

// Returns when the message is in the buffer. `status` may be MPI_STATUS_IGNORE. May switch.
Error recv(datatype::Buffer buffer, const Source& from, MPI_Status* status);

// A request for it that keeps what it needs; nullptr if no memory is left.
[[gnu::always_inline]] inline ReceiveRequest* make_receive(datatype::Buffer buffer,
                                                           const Source& from,
                                                           request::Request::Life life) noexcept {
  ReceiveRequest* const made = request::make<ReceiveRequest>(buffer, from, life).leak();
  if (made != nullptr) [[likely]]
    made->hold(from.comm);
  return made;
}

[[gnu::always_inline]] inline Error irecv(datatype::Buffer buffer, const Source& from,
                                          request::Request** request) {
  ReceiveRequest* const made = make_receive(buffer, from, request::Request::Life::kOnce);
  if (made == nullptr) [[unlikely]]
    return request::no_memory();
  if (made->begin_quickly()) made->complete_unseen();
  *request = made;
  return {};
}

// MPI_Recv_init.
Error recv_init(datatype::Buffer buffer, const Source& from, request::Request** request);

}  // namespace heddle::p2p
