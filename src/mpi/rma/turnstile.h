// turnstile.h — lets one strand at a time deal with a target, in the order in which they come.
// Strands that deal with different targets do not meet.
//
// Thread safety: any strand of the rank.

#pragma once

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/ult/completion.h"

namespace heddle::rma {

class Turnstile {
 public:
  class Visitor : public ListNode<> {
   public:
    explicit Visitor(int target) noexcept : target_(target) {}

   private:
    friend class Turnstile;

    const int target_;
    ult::Completion let_in_;
  };

  // Returns when the visitors of the same target that came before have left. May switch.
  void enter(Visitor& visitor) noexcept;
  void leave(Visitor& visitor) noexcept;

 private:
  Visitor* first_of(int target) noexcept REQUIRES(lock_);

  // Lock: guards the strands that deal with begun locks of a window; held across a look at each.
  SpinLock lock_;
  IntrusiveList<Visitor> visitors_ GUARDED_BY(lock_);  // of each target, the first one is in
};

}  // namespace heddle::rma
