// buffered.h — MPI_Bsend's buffers: attach, detach, flush (MPI 5.0 §3.6).
//
// A communicator's own buffer is used before the process's.
//
// Thread safety: any strand of the rank.

#pragma once

#include "base/error.h"
#include "mpi/p2p/port.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

// Sends a message whose buffer is free when this returns; MPI_ERR_BUFFER if it had to be kept and
// the attached buffer has no room.
Error send_buffered(const world::Process& to, const match::Key& key, datatype::ConstBuffer data,
                    const comm::Comm& comm);

// `comm` is null for the process's buffer. MPI_BUFFER_AUTOMATIC has no size, whatever is given.
Error attach_buffer(const comm::Comm* comm, void* buffer, MPI_Count bytes);

// Waits until all messages in the buffer have been received; meanwhile it is not attached.
// `buffer` points to the program's pointer. May switch.
Error detach_buffer(const comm::Comm* comm, void* buffer, MPI_Count* bytes);

// Called when a communicator is freed: the buffer attached to it is the program's again. Its messages go on.
void forget_buffer(const comm::Comm& comm);

// Waits for the messages that are in the buffer now, not for later ones.
Error flush_buffer(const comm::Comm* comm);  // may switch
Error iflush_buffer(const comm::Comm* comm, request::Request** request);

}  // namespace heddle::p2p
