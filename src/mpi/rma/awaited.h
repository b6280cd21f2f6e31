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
// Thread safety: one strand waits at a time; others call notify() from any thread.

#pragma once

#include <atomic>

#include "exec/ult/completion.h"
#include "exec/ult/stillness.h"

namespace heddle::rma {

class Awaited {
 public:
  Awaited() = default;
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  // Requires that the condition reads with seq_cst what others change. `note` says what is waited
  // for. May switch.
  template <class Condition>
  void wait_until(Condition condition, const ult::WaitNote& note) noexcept {
    if (condition()) return;
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
  void notify() noexcept {
    if (waiter_.load(std::memory_order_seq_cst) == nullptr) return;
    if (ult::Completion* waiter = waiter_.exchange(nullptr)) waiter->set();
  }

 private:
  std::atomic<ult::Completion*> waiter_{nullptr};
};

}  // namespace heddle::rma
