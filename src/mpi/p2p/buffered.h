// buffered.h — MPI_Bsend's buffers: attach, detach, flush (MPI 5.0 §3.6).
//
// A message takes the buffer of its communicator. If that has none, the one of the session from
// which it comes, and else the process's.
//
// Thread safety: any strand of the rank.

#pragma once

#include "base/error.h"
#include "mpi/p2p/port.h"
#include "mpi/request/request.h"
#include "mpi/session/session.h"

namespace heddle::p2p {

// What a buffer is attached to. It is compared only, and may outlive what it names.
class BufferOwner {
 public:
  BufferOwner() noexcept = default;  // the process
  BufferOwner(const comm::Comm& comm) noexcept : comm_(&comm) {}
  BufferOwner(const session::Session& session) noexcept : session_(session.number()) {}
  explicit BufferOwner(session::Number session) noexcept : session_(session) {}

  bool operator==(const BufferOwner& other) const noexcept = default;

  // "the communicator", "the session" or "the process"
  const char* name() const noexcept;

 private:
  const comm::Comm* comm_ = nullptr;
  session::Number session_ = session::kNone;
};

// Sends a message whose buffer is free when this returns; MPI_ERR_BUFFER if it had to be kept and
// the attached buffer has no room.
Error send_buffered(const world::Process& to, const match::Key& key, datatype::ConstBuffer data,
                    const comm::Comm& comm);

// MPI_BUFFER_AUTOMATIC has no size, whatever is given.
Error attach_buffer(const BufferOwner& owner, void* buffer, MPI_Count bytes);

// Waits until all messages in the buffer have been received; meanwhile it is not attached.
// `buffer` points to the program's pointer. May switch.
Error detach_buffer(const BufferOwner& owner, void* buffer, MPI_Count* bytes);

// Called at the end of the owner: its buffer is the program's again. Messages in it go on.
void forget_buffer(const BufferOwner& owner);

// Messages of sessions that lie here until other hosts fetch them, whichever buffer they have
// taken. True if there are some; returns when they have been received (may switch).
bool awaits_buffered() noexcept;
void await_buffered();

// Waits for the messages that are in the buffer now, not for later ones.
Error flush_buffer(const BufferOwner& owner);  // may switch
Error iflush_buffer(const BufferOwner& owner, request::Request** request);

}  // namespace heddle::p2p
