// in_call.h — keeps what a blocking call uses while it waits, should another thread of the rank
// free it meanwhile.
//
//   InCall in_call(comm, type);      before anybody can meet the operation (Transient, I3)
//
// It uses the strand's own Transient, which the collector finds like those of requests. There is one
// at a time, because a call that waits runs no callback meanwhile.
//
// The call that frees comes after the operation has begun, in any program that is not in a race by
// itself; one that frees an object while another thread is on its way into the call may find it
// gone.
//
// Thread safety: the strand's own.

#pragma once

#include "mpi/object/transient_pool.h"

namespace heddle::object {

class InCall {
 public:
  InCall(const Managed* a, const Managed* b, const Managed* c = nullptr) noexcept {
    if (needs_none(a) && needs_none(b) && needs_none(c)) return;
    slot_ = &TransientCache::of_strand().in_call();
    assert(slot_->get(0) == nullptr);
    slot_->refer(a, b, c);
  }
  ~InCall() {
    if (slot_ != nullptr) slot_->clear();
  }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

 private:
  // A predefined object lives longer than any call; only a policy that counts looks at it.
  static bool needs_none(const Managed* object) noexcept {
    return object == nullptr || (object->predefined() && !transients_count());
  }

  Transient* slot_ = nullptr;
};

}  // namespace heddle::object
