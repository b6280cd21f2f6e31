// locked_access.h — an access from another process that takes its target's lock first
// (begun_lock.h). When it has the lock it is done and answered. If its origin has unlocked
// meanwhile, the lock is given back at once.
//
// Thread safety: as remote_waiters.h says.

#pragma once

#include <vector>

#include "mpi/rma/access.h"
#include "mpi/rma/remote_waiters.h"

namespace heddle::rma {

class LockedAccess final : public RemoteLock, private PendingAccesses::Access {
 public:
  LockedAccess(const Held& held, const WindowPacket& head, transport::Bytes rest)
      : RemoteLock(held, static_cast<LockMode>(head.mode), head.target, head.origin),
        Access(head.origin, head.target),
        head_(head),
        rest_(rest.begin(), rest.end()) {
    held.part.pending().add(*this);
  }

 private:
  ~LockedAccess() override = default;

  bool has_all() noexcept override {
    Part& part = held().part;
    do_access(held().gateway, held().asker, head_, part, rest_);
    bool has_unlocked = false;
    if (part.pending().remove(*this)) {
      if (mode() == LockMode::kExclusive) lock().note_holder(-1);
      has_unlocked = lock().unlock(mode());
    }
    part.leave();
    delete this;
    return has_unlocked;
  }

  const WindowPacket head_;
  const std::vector<std::byte> rest_;
};

}  // namespace heddle::rma
