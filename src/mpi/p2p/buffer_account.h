// buffer_account.h — how much of an attached buffer is in use by buffered sends (MPI 5.0 §3.6).
//
// The payloads themselves lie in memory of the library. The size of the attached buffer only limits
// how much the program may have in use. MPI_Buffer_detach and MPI_Buffer_flush wait until all
// messages have been received that were in the buffer when they were called; not for later ones,
// which the same strand may have sent before it waits.
//
// Thread safety: any strand, also of other ranks: the receiver of a message gives its bytes back.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

class FlushRequest;

class BufferAccount {
 public:
  // MPI_BUFFER_AUTOMATIC has no limit.
  BufferAccount(void* buffer, MPI_Count bytes) noexcept : buffer_(buffer), bytes_(bytes) {}

  void* buffer() const noexcept { return buffer_; }
  MPI_Count bytes() const noexcept { return bytes_; }
  MPI_Count in_use() noexcept;

 private:
  friend class Deposit;
  friend class FlushRequest;

  // I1  A flush is in the list exactly while messages are here that came before it: `awaited_` of
  //     them.
  bool take_room(MPI_Count room, std::uint64_t* flushes_before) noexcept;
  void give_back(MPI_Count room, std::uint64_t flushes_before) noexcept;
  void begin(FlushRequest& flush) noexcept;  // completes it if nothing is here
  void withdraw(FlushRequest& flush) noexcept;

  void* const buffer_;
  const MPI_Count bytes_;
  // Lock: guards what is in use of one attached buffer.
  SpinLock lock_;
  MPI_Count in_use_ GUARDED_BY(lock_) = 0;
  std::uint64_t messages_ GUARDED_BY(lock_) = 0;
  std::uint64_t flushes_begun_ GUARDED_BY(lock_) = 0;
  IntrusiveList<FlushRequest> flushes_ GUARDED_BY(lock_);
};

// Room for one message in an attached buffer. It is given back with its end: the message has been
// received, or could not be sent.
class Deposit {
 public:
  Deposit() noexcept = default;  // of a message that needs no buffer
  Deposit(Deposit&&) noexcept = default;
  Deposit& operator=(Deposit&&) = delete;
  ~Deposit() {
    if (account_ != nullptr) account_->give_back(room_, flushes_before_);
  }

  // What a message takes besides its payload. MPI_BSEND_OVERHEAD, 512 bytes in the ABI, is only the
  // most that it may be: programs that count with another MPI's overhead fit as well (LAM had 40,
  // MPICH has 96, Open MPI 128), and a program that forgets it altogether still gets an error.
  static constexpr MPI_Count kOverhead = 32;
  static_assert(kOverhead <= MPI_BSEND_OVERHEAD);

  // Takes room for a payload and the overhead. False if it does not fit now.
  bool make(const std::shared_ptr<BufferAccount>& account, MPI_Count payload) noexcept {
    room_ = payload + kOverhead;
    if (!account->take_room(room_, &flushes_before_)) return false;
    account_ = account;
    return true;
  }

 private:
  std::shared_ptr<BufferAccount> account_;
  MPI_Count room_ = 0;
  std::uint64_t flushes_before_ = 0;
};

// Completes when the messages have been received that are in the buffer now.
class FlushRequest final : public request::Request, public ListNode<> {
 public:
  explicit FlushRequest(std::shared_ptr<BufferAccount> account) noexcept
      : Request(Life::kOnce), account_(std::move(account)) {
    account_->begin(*this);
  }
  // A flush that was freed may end before it is done, with its rank.
  ~FlushRequest() override { account_->withdraw(*this); }

  std::string awaited() const override { return "receives of the messages in its buffer"; }

 private:
  friend class BufferAccount;

  const std::shared_ptr<BufferAccount> account_;
  std::uint64_t number_ = 0;  // among those of the account
  std::uint64_t awaited_ = 0;
};

}  // namespace heddle::p2p
