// completion.h — something that happens once, and at most one strand that waits for it.
//
// The whole state is one word:
//
//   from      to        who      by
//   --------  --------  -------  -----------------------------------------------
//   pending   enrolled  waiter   enroll                                     [R1]
//   enrolled  pending   waiter   withdraw
//   pending   done      setter   set                                        [R2]
//   enrolled  done      setter   set, which wakes the waiter         [R2] [A1]
//   pending   done      owner    set_unseen (no other strand may look at it yet)
//   done      pending   owner    reset (no other thread may look at it any more)
//
// Invariants
//   I1  Every successful enroll is followed by exactly one wake-up of that strand, or by a
//       successful withdraw. A strand that was woken by something else calls park() once more to
//       absorb the wake-up of the completion.
//   I2  set() does not touch the Completion after the word is `done`, so a thread that sees done()
//       may destroy it, but only a strand that is not enrolled (I1).
//
// Memory order
//   [R2] release, pairs with the acquire in done(): the waiter sees what was written before set().
//   [R1] release, pairs with [A1] acquire: the setter sees the strand before it wakes it.
//
// Thread safety: set any thread, once; enroll, withdraw and wait one strand at a time; done any
// thread.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/schedule_point.h"
#include "exec/ult/strand.h"

namespace heddle::ult {

// Something else that a strand may spin for: that a word which counts up comes to a number.
struct AwaitedCount {
  const std::atomic<std::uint32_t>* word = nullptr;
  std::uint32_t number = 0;

  bool reached() const noexcept {
    return word != nullptr &&
           static_cast<std::int32_t>(word->load(std::memory_order_relaxed) - number) >= 0;
  }
};

class Completion {
 public:
  Completion() = default;
  Completion(Completion&&) = delete;

  bool done() const noexcept { return word_.load(std::memory_order_acquire) == kDone; }

  // Once. Any thread.
  void set() noexcept {
    schedule_point();
    const std::uintptr_t seen = word_.exchange(kDone, std::memory_order_acq_rel);  // [R2] [A1]
    if (seen != kPending) reinterpret_cast<Strand*>(seen)->wake();
  }

  // Sets a completion that no other strand knows yet.
  void set_unseen() noexcept { word_.store(kDone, std::memory_order_relaxed); }

  // Returns when done; answers alerts meanwhile (alert.h). May switch.
  void wait() noexcept {
    if (!done()) wait_slow();
  }

  // Returns true if it gets done, or the count is reached, while the worker has nothing else to
  // run; never for long.
  bool spin(const AwaitedCount& other = {}) const noexcept;

  // Parks until done; false for an alert, which the caller answers. Then no strand is enrolled. May
  // switch.
  [[nodiscard]] bool park_unless_alerted() noexcept;

  // Returns false if it is already done; `strand` will then not be woken.
  [[nodiscard]] bool enroll(Strand& strand) noexcept {
    schedule_point();
    std::uintptr_t expected = kPending;
    return word_.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(&strand),
                                         std::memory_order_release,  // [R1]
                                         std::memory_order_acquire);
  }

  // Returns false if it is already done. Then a wake-up of `strand` has come or is on its way, and
  // the strand must absorb it.
  [[nodiscard]] bool withdraw(Strand& strand) noexcept {
    schedule_point();
    std::uintptr_t expected = reinterpret_cast<std::uintptr_t>(&strand);
    // acquire is for the failure: the waiter sees what was written before set().
    return word_.compare_exchange_strong(expected, kPending, std::memory_order_acquire,
                                         std::memory_order_acquire);
  }

  // Makes it pending again. Requires that no other thread refers to it.
  void reset() noexcept { word_.store(kPending, std::memory_order_relaxed); }

 private:
  static constexpr std::uintptr_t kPending = 0;
  static constexpr std::uintptr_t kDone = 1;

  // Spins in place while the worker has nothing else to run, then parks.
  void wait_slow() noexcept;

  std::atomic<std::uintptr_t> word_{kPending};
};

}  // namespace heddle::ult
