// sendrecv.h — a send and a receive in one call, which cannot deadlock (MPI 5.0 §3.11).
//
// Thread safety: any strand of the rank.

#pragma once

#include "mpi/p2p/receive_request.h"
#include "mpi/p2p/send_request.h"

namespace heddle::p2p {

// May switch.
Error sendrecv(datatype::ConstBuffer data, const Target& to, datatype::Buffer buffer,
               const Source& from, MPI_Status* status);
Error sendrecv_replace(datatype::Buffer buffer, const Target& to, const Source& from,
                       MPI_Status* status);

Error isendrecv(datatype::ConstBuffer data, const Target& to, datatype::Buffer buffer,
                const Source& from, request::Request** request);
Error isendrecv_replace(datatype::Buffer buffer, const Target& to, const Source& from,
                        request::Request** request);

}  // namespace heddle::p2p
