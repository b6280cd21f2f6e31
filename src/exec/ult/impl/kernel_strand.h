// kernel_strand.h — the strand of a kernel thread: it parks on a futex.
//
// The whole state is one word, the number of wake-ups that no park has absorbed, or kAsleep:
//
//   from     to         who      by
//   -------  ---------  -------  ---------------------------------------------------------
//   n        n + 1      waker    wake                                               [R1]
//   asleep   0          waker    wake: this one lets the sleeper go; futex call     [R1]
//   n > 0    n - 1      thread   park                                               [A1]
//   0        asleep     thread   park, after a short spin
//   asleep   0          thread   park_until, at its deadline
//
// Memory order: [R1] release, pairs with [A1] acquire: what was written before wake() is seen.
// Thread safety: wake any thread; the rest its own thread.

#pragma once

#include <atomic>
#include <cstdint>

#include "exec/ult/strand.h"

namespace heddle::ult {

class KernelStrand final : public Strand {
 public:
  // The calling kernel thread's. Never destroyed, so that late destructors may still wait.
  static KernelStrand& mine() noexcept;

  KernelStrand() = default;
  void wake() noexcept override;
  bool park_self_until(std::int64_t deadline_ns) noexcept;

 private:
  static constexpr std::uint32_t kAsleep = UINT32_MAX;  // one before 0, see wake()

  bool absorb_one() noexcept;

  std::atomic<std::uint32_t> word_{0};
};

}  // namespace heddle::ult
