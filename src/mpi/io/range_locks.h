// range_locks.h — locks of byte ranges of one open file, for atomic mode (MPI 5.0 §14.6.1).
//
// Strands of this process exclude each other here; waiters park, and get their turns in the order
// in which they came. Other processes are excluded by the kernel's locks of open file descriptions
// (F_OFD_SETLKW), which are taken below these.
//
// Thread safety: any strand.

#pragma once

#include <mpi.h>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/ult/completion.h"

namespace heddle::io {

class RangeLocks {
 public:
  // Bytes [first, end), held from lock() to unlock(). May switch.
  class Held : public ListNode<> {
   public:
    Held(RangeLocks& locks, MPI_Offset first, MPI_Offset end) noexcept;
    ~Held();
    Held(Held&&) = delete;

   private:
    friend class RangeLocks;
    bool meets(const Held& other) const noexcept {
      return first_ < other.end_ && other.first_ < end_;
    }

    RangeLocks& locks_;
    const MPI_Offset first_, end_;
    bool granted_ = false;  // guarded by the lock
    ult::Completion granted_now_;
  };

 private:
  // True if nothing before `wanted` in the list meets it.
  bool is_free(const Held& wanted) noexcept;

  // Lock: guards the list of ranges of a file that strands of this process have locked or wait for.
  SpinLock lock_;
  IntrusiveList<Held> ranges_;  // in the order in which they came
};

}  // namespace heddle::io
