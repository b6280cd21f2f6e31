// interrupt.h — a request to a strand to end its wait early, and the wait that obeys it.
//
//   word       meaning                         leaves by
//   ---------  ------------------------------  -----------------------------------------------
//   idle       not asked yet                   the strand's begin [R1], request
//   waiting    the strand's address: it waits  the strand's end; request [A1], which wakes it
//   requested  the strand was asked to give up never
//
// Invariants
//   I1  A strand whose begin was successful gets exactly one wake-up by a request, or its end is
//       successful; as with a Completion, the strand absorbs a wake-up that has come.
//
// Memory order: [R1] release pairs with [A1] acquire: a thread that requests sees the strand before
// it wakes it. A strand that finds the request sees what was written before request().
// Thread safety: request any thread, any number of times; wait the strand that it belongs to.

#pragma once

#include <atomic>
#include <cstdint>

#include "exec/ult/completion.h"

namespace heddle::ult {

enum class WaitEnd { kDone, kTimedOut, kInterrupted, kAlerted };

class Interrupt {
 public:
  Interrupt() = default;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void request() noexcept;

 private:
  friend WaitEnd wait(Completion& completion, std::int64_t deadline_ns, Interrupt* interrupt,
                      Strand::Alerts alerts) noexcept;

  // Returns false if the request came before; `strand` will not be woken.
  bool begin(Strand& strand) noexcept;
  // Returns false if a wake-up of `strand` has come or is on its way.
  bool end(Strand& strand) noexcept;

  static constexpr std::uintptr_t kIdle = 0;
  static constexpr std::uintptr_t kRequested = 1;

  std::atomic<std::uintptr_t> word_{kIdle};
};

// Waits for `completion`, at most until the deadline on CLOCK_MONOTONIC (platform::kNever: no
// deadline) or a request (null: none is heeded), or, if it heeds alerts, until one comes (alert.h),
// which the caller answers. If the completion is done, returns kDone, whatever else has happened.
// Otherwise the strand is not enrolled any more. May switch.
WaitEnd wait(Completion& completion, std::int64_t deadline_ns, Interrupt* interrupt,
             Strand::Alerts alerts = Strand::Alerts::kIgnores) noexcept;

}  // namespace heddle::ult
