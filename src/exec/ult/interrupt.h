// interrupt.h — a request to a strand to end its wait early (wait.h).
//
//   word       meaning                         leaves by
//   ---------  ------------------------------  -----------------------------------------------
//   idle       not asked yet                   the strand's enroll [R1], request
//   waiting    the strand's address: it waits  the strand's withdraw; request [A1], which wakes it
//   requested  the strand was asked to give up never
//
// Invariants
//   I1  A strand whose enroll was successful gets exactly one wake-up by a request, or its withdraw
//       is successful; as with a Completion, the strand absorbs a wake-up that has come.
//
// Memory order: [R1] release pairs with [A1] acquire: a thread that requests sees the strand before
// it wakes it. A strand that finds the request sees what was written before request().
// Thread safety: request any thread, any number of times; the rest the strand that it belongs to.

#pragma once

#include <atomic>
#include <cstdint>

#include "exec/ult/strand.h"

namespace heddle::ult {

class Interrupt {
 public:
  Interrupt() = default;
  Interrupt(Interrupt&&) = delete;

  void request() noexcept;

  // For wait(). Returns false if the request came before; `strand` will not be woken.
  [[nodiscard]] bool enroll(Strand& strand) noexcept;
  // For wait(). Returns false if a wake-up of `strand` has come or is on its way.
  [[nodiscard]] bool withdraw(Strand& strand) noexcept;

 private:
  static constexpr std::uintptr_t kIdle = 0;
  static constexpr std::uintptr_t kRequested = 1;

  std::atomic<std::uintptr_t> word_{kIdle};
};

}  // namespace heddle::ult
