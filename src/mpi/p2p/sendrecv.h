// sendrecv.h — a send and a receive in one call, which cannot deadlock (MPI 5.0 §3.11).
//
// Thread safety: any strand of the rank.

#pragma once

#include "mpi/p2p/receive_request.h"
#include "mpi/p2p/send_request.h"

namespace heddle::p2p {

// The source is a rank, or it is MPI_PROC_NULL: then only the send is left. May switch.
Error sendrecv_from_rank(datatype::ConstBuffer data, const Target& to, datatype::Buffer buffer,
                         const Source& from, MPI_Status* status);
Error sendrecv_from_nobody(datatype::ConstBuffer data, const Target& to, MPI_Status* status);
[[gnu::always_inline]] inline Error sendrecv(datatype::ConstBuffer data, const Target& to,
                                             datatype::Buffer buffer, const Source& from,
                                             MPI_Status* status) {
  if (from.rank == MPI_PROC_NULL) [[unlikely]]
    return sendrecv_from_nobody(data, to, status);
  return sendrecv_from_rank(data, to, buffer, from, status);
}
Error sendrecv_replace(datatype::Buffer buffer, const Target& to, const Source& from,
                       MPI_Status* status);

Error isendrecv(datatype::ConstBuffer data, const Target& to, datatype::Buffer buffer,
                const Source& from, request::Request** request);
Error isendrecv_replace(datatype::Buffer buffer, const Target& to, const Source& from,
                        request::Request** request);

}  // namespace heddle::p2p
