// awaited.h — the place at which one strand waits until others have made a condition true.
//
//   waiter                             others
//   --------------------------------   ------------------------------
//   puts its completion here [W1]      make the condition true [W2]
//   looks at the condition             look for a completion here
//   false: waits                       one is here: take it, set it
//
// [W1], [W2] and the looks behind them are seq_cst: one of the two sees the other.
//
// In memory that several processes map, only the waiter's process follows the pointer. Others ask
// has_waiter() after the change, and send that process a packet; it calls notify() (mapped.h).
//
// Thread safety: one strand waits at a time; others call the rest from any thread.

#pragma once

#include <atomic>

#include "base/platform/cpu.h"
#include "exec/ult/completion.h"
#include "exec/ult/stillness.h"

namespace heddle::rma {

class Awaited {
 public:
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  // Requires that the condition reads with seq_cst what others change. Looks `looks` times before
  // it waits. `note` says what is waited for. May switch.
  template <class Condition>
  void wait_until(Condition condition, int looks, const ult::WaitNote& note) noexcept {
    for (int look = 0; look < looks; ++look) {
      if (condition()) return;
      platform::cpu_relax();
    }
    const ult::NotedWait noted(note);
    do {
      ult::Completion completion;
      waiter_.store(&completion, std::memory_order_seq_cst);  // [W1]
      const bool mine = condition() && waiter_.exchange(nullptr) == &completion;
      if (mine) return;
      completion.wait();
    } while (!condition());
  }

  // Called after a change by a seq_cst write [W2].
  bool has_waiter() const noexcept { return waiter_.load(std::memory_order_seq_cst) != nullptr; }
  void notify() noexcept {
    if (!has_waiter()) return;
    if (ult::Completion* waiter = waiter_.exchange(nullptr)) waiter->set();
  }

 private:
  std::atomic<ult::Completion*> waiter_;  // null at first (words.h)
};

}  // namespace heddle::rma
