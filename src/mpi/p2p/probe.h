// probe.h — looks at messages before they are received (MPI 5.0 §3.8).
//
// A matched probe takes the message out of its port, so that no other receive can get it; the
// program holds it by an MPI_Message until mrecv.
//
// A program may probe in a loop, so a call that finds nothing lets the other ranks of its worker
// run (ult::relax), and if some have run it looks once more.
//
// Thread safety: any strand of the rank. All may switch; imrecv only for messages of more than
// kSlice bytes (message.h), which it may copy at once.

#pragma once

#include "base/error.h"
#include "mpi/datatype/buffer.h"
#include "mpi/p2p/target.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

Error probe(const Source& from, MPI_Status* status);
Error iprobe(const Source& from, int* flag, MPI_Status* status);

Error mprobe(const Source& from, MPI_Message* message, MPI_Status* status);
Error improbe(const Source& from, int* flag, MPI_Message* message, MPI_Status* status);

// The communicator of a message, or MPI_COMM_NULL if `message` points to none. One that was freed
// has no handle either.
MPI_Comm comm_of(const MPI_Message* message) noexcept;

// Set *message to MPI_MESSAGE_NULL.
Error mrecv(datatype::Buffer buffer, MPI_Message* message, MPI_Status* status,
            object::Ref<comm::Comm>* blamed);
Error imrecv(datatype::Buffer buffer, MPI_Message* message, request::Request** request);

}  // namespace heddle::p2p
