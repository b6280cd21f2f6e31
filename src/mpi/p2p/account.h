// account.h — how much of an attached buffer is in use by buffered sends (MPI 5.0 §3.6).
//
// The payloads themselves are in memory of our own; the buffer that the program attaches says how
// much of it the program may ask for, and MPI_Buffer_detach and MPI_Buffer_flush wait until all of
// it has been received.
//
// Thread safety: any strand, also of other ranks: the receiver of a message gives its bytes back.

#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

class FlushRequest;

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

  // Completes `flush` when nothing is in use; withdraw() gives it up before.
  void flush(FlushRequest& flush) noexcept;
  void withdraw(FlushRequest& flush) noexcept;

 private:
  void* const buffer_;
  const MPI_Count bytes_;
  SpinLock lock_;  // guards the rest
  MPI_Count in_use_ = 0;
  IntrusiveList<FlushRequest> flushes_;  // empty while in_use_ == 0
};

// Completes when all buffered messages of an account have been received.
class FlushRequest final : public request::Request, public ListNode<> {
 public:
  explicit FlushRequest(std::shared_ptr<Account> account) noexcept
      : Request(Life::kOnce), account_(std::move(account)) {
    account_->flush(*this);
  }
  // One that was freed may end before it is done, with its rank.
  ~FlushRequest() override { account_->withdraw(*this); }

 private:
  const std::shared_ptr<Account> account_;
};

}  // namespace heddle::p2p
