// account.h — how much of an attached buffer is in use by buffered sends (MPI 5.0 §3.6).
//
// The payloads themselves are in memory of our own; the buffer that the program attaches says how
// much of it the program may ask for, and MPI_Buffer_detach and MPI_Buffer_flush wait until all of
// it has been received.
//
// Thread safety: any strand, also of other ranks: the receiver of a message gives its bytes back.

#pragma once

#include <mpi.h>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

// Completes when all buffered messages of an account have been received.
class FlushRequest final : public request::Request, public ListNode<> {
 public:
  FlushRequest() noexcept : Request(Life::kOnce) {}
};

class Account {
 public:
  // MPI_BUFFER_AUTOMATIC has no limit.
  Account(void* buffer, MPI_Count bytes) noexcept : buffer_(buffer), bytes_(bytes) {}

  void* buffer() const noexcept { return buffer_; }
  MPI_Count bytes() const noexcept { return bytes_; }

  // Takes room for a message, MPI_BSEND_OVERHEAD included. False if it does not fit now.
  bool reserve(MPI_Count payload) noexcept;
  void give_back(MPI_Count payload) noexcept;
  MPI_Count in_use() noexcept;

  // Starts `flush`, which must live until it is done.
  void flush(FlushRequest& flush) noexcept;

 private:
  void* const buffer_;
  const MPI_Count bytes_;
  SpinLock lock_;  // guards the rest
  MPI_Count in_use_ = 0;
  IntrusiveList<FlushRequest> flushes_;  // empty while in_use_ == 0
};

}  // namespace heddle::p2p
