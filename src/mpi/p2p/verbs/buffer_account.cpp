#include "mpi/p2p/buffer_account.h"

namespace heddle::p2p {

bool BufferAccount::take_room(MPI_Count room, std::uint64_t* flushes_before) noexcept {
  SpinGuard guard(lock_);
  if (buffer_ != MPI_BUFFER_AUTOMATIC && room > bytes_ - in_use_) return false;
  in_use_ += room;
  ++messages_;
  *flushes_before = flushes_begun_;
  return true;
}

void BufferAccount::give_back(MPI_Count room, std::uint64_t flushes_before) noexcept {
  SpinGuard guard(lock_);
  in_use_ -= room;
  --messages_;
  for (auto it = flushes_.begin(); it != flushes_.end();) {
    FlushRequest& flush = *it;
    ++it;
    if (flush.number_ <= flushes_before || --flush.awaited_ > 0) continue;
    IntrusiveList<FlushRequest>::erase(flush);
    flush.complete();
  }
}

MPI_Count BufferAccount::in_use() noexcept {
  SpinGuard guard(lock_);
  return in_use_;
}

void BufferAccount::begin(FlushRequest& flush) noexcept {
  SpinGuard guard(lock_);
  flush.number_ = ++flushes_begun_;
  flush.awaited_ = messages_;
  if (messages_ == 0) {
    flush.complete();
  } else {
    flushes_.push_back(flush);
  }
}

void BufferAccount::withdraw(FlushRequest& flush) noexcept {
  SpinGuard guard(lock_);
  if (flush.linked()) IntrusiveList<FlushRequest>::erase(flush);
}

}  // namespace heddle::p2p
