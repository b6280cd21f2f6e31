// all_ults.h — the records of all ults, also of those that have ended and wait to be used again
// (ult_pool.h).
//
// A record is listed when its stack is mapped and taken out before that is unmapped, which costs
// much more; so a ult of the pool costs nothing here.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/ult/run/ult_record.h"

namespace heddle::ult {

class AllUlts {
 public:
  void add(Ult& ult) noexcept {
    SpinGuard guard(lock_);
    list_.push_back(ult);
  }
  void remove(Ult& ult) noexcept {
    SpinGuard guard(lock_);
    steps_of_removed_ += ult.steps.load(std::memory_order_relaxed);
    IntrusiveList<Ult, AllUlts>::erase(ult);
  }
  std::uint64_t steps_of_removed() noexcept {
    SpinGuard guard(lock_);
    return steps_of_removed_;
  }
  // `visit` takes no memory and no lock.
  template <class Visit>
  void for_each(Visit&& visit) noexcept {
    SpinGuard guard(lock_);
    for (Ult& ult : list_) visit(ult);
  }

 private:
  // Lock: guards the list of all records of ults, and what those had counted that are gone.
  SpinLock lock_;
  std::uint64_t steps_of_removed_ GUARDED_BY(lock_) = 0;
  IntrusiveList<Ult, AllUlts> list_ GUARDED_BY(lock_);
};

inline constinit AllUlts all_ults;

// See executable_stacks.h. Set before all records are visited; read after a record has been listed.
inline constinit std::atomic<bool> stacks_are_executable{false};

}  // namespace heddle::ult
