// receive.h — receives, blocking and not (MPI 5.0 §3.2.4, §3.7).
//
// Thread safety: any strand of the rank.

#pragma once

#include "mpi/p2p/receive_request.h"

namespace heddle::p2p {

// Returns when the message is in the buffer. `status` may be MPI_STATUS_IGNORE. May switch.
Error recv(datatype::Buffer buffer, const Source& from, MPI_Status* status);

Error irecv(datatype::Buffer buffer, const Source& from, request::Request** request);

// MPI_Recv_init.
Error recv_init(datatype::Buffer buffer, const Source& from, request::Request** request);

}  // namespace heddle::p2p
