#include "mpi/io/range_locks.h"

namespace heddle::io {

RangeLocks::Held::Held(RangeLocks& locks, MPI_Offset first, MPI_Offset end) noexcept
    : locks_(locks), first_(first), end_(end) {
  {
    const SpinGuard guard(locks_.lock_);
    locks_.ranges_.push_back(*this);
    granted_ = locks_.is_free(*this);
    if (granted_) return;
  }
  granted_now_.wait();
}

RangeLocks::Held::~Held() {
  const SpinGuard guard(locks_.lock_);
  locks_.ranges_.erase(*this);
  for (Held& other : locks_.ranges_) {
    if (other.granted_ || !other.meets(*this) || !locks_.is_free(other)) continue;
    other.granted_ = true;
    other.granted_now_.set();
  }
}

bool RangeLocks::is_free(const Held& wanted) noexcept {
  for (const Held& earlier : ranges_) {
    if (&earlier == &wanted) break;
    if (earlier.meets(wanted)) return false;
  }
  return true;
}

}  // namespace heddle::io
