#include "mpi/p2p/account.h"

namespace heddle::p2p {

bool Account::reserve(MPI_Count payload) noexcept {
  const MPI_Count wanted = payload + MPI_BSEND_OVERHEAD;
  SpinGuard guard(lock_);
  if (buffer_ != MPI_BUFFER_AUTOMATIC && wanted > bytes_ - in_use_) return false;
  in_use_ += wanted;
  return true;
}

void Account::give_back(MPI_Count payload) noexcept {
  SpinGuard guard(lock_);
  in_use_ -= payload + MPI_BSEND_OVERHEAD;
  if (in_use_ != 0) return;
  while (FlushRequest* flush = flushes_.pop_front()) flush->complete();
}

MPI_Count Account::in_use() noexcept {
  SpinGuard guard(lock_);
  return in_use_;
}

void Account::flush(FlushRequest& flush) noexcept {
  SpinGuard guard(lock_);
  if (in_use_ == 0) {
    flush.complete();
  } else {
    flushes_.push_back(flush);
  }
}

void Account::withdraw(FlushRequest& flush) noexcept {
  SpinGuard guard(lock_);
  if (flush.linked()) IntrusiveList<FlushRequest>::erase(flush);
}

}  // namespace heddle::p2p
