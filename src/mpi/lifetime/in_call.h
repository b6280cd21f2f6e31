// in_call.h — keeps what a blocking call uses while it waits, should another thread of the rank
// free it meanwhile.
//
//   InCall in_call(comm, type);      before another strand can meet the operation (Transient, I3)
//
// It uses the strand's own Transient, which the collector finds like those of requests. There is
// one, of the outermost call: a collective refers to all that its messages and its parts use, so
// those made inside of it refer to nothing. A call that waits runs no callback that may wait, too.
//
// The call that frees comes after the operation has begun, in any program that is not in a race by
// itself; one that frees an object while another thread is on its way into the call may find it
// gone.
//
// Thread safety: the strand's own.

#pragma once

#include "mpi/lifetime/transient_pool.h"

namespace heddle::lifetime {

class InCall {
 public:
  // Only `b` and `c` may be null.
  [[gnu::always_inline]] InCall(const Managed* a, const Managed* b,
                                const Managed* c = nullptr) noexcept {
    assert(a != nullptr);
    if (!needs_none(a) || !needs_none(b) || !needs_none(c)) refer_slow(a, b, c);
  }
  ~InCall() {
    if (slot_ != nullptr) slot_->clear();
  }
  InCall(InCall&&) = delete;

 private:
  // A predefined object lives longer than any call; only a policy that counts looks at it.
  static bool needs_none(const Managed* object) noexcept {
    return object == nullptr || (object->predefined() && !transients_count());
  }

  [[gnu::noinline]] void refer_slow(const Managed* a, const Managed* b, const Managed* c) noexcept {
    Transient& slot = TransientCache::of_strand().in_call();
    if (slot.get(0) != nullptr) return;  // inside of another one
    slot_ = &slot;
    slot_->refer(a, b, c);
  }

  Transient* slot_ = nullptr;
};

}  // namespace heddle::lifetime
