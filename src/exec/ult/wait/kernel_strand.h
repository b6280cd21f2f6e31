// kernel_strand.h — the strand of a kernel thread: it parks on a futex.
//
// The whole state is one word: four times the number of wake-ups that no park has absorbed, and
// kAsleep:
//
//   from        to            who      by
//   ----------  ------------  -------  -----------------------------------------------------
//   4n          4n + 4        waker    wake                                           [R1]
//   asleep      4 + asleep    waker    wake: this one lets the sleeper go; futex call [R1]
//   4n + asleep 4n+4 + asleep waker    wake, before the sleeper has seen another      [R1]
//   4n > 0      4n - 4        thread   park                                           [A1]
//   0           asleep        thread   park, after a short spin
//   4n + asleep 4n            thread   park, woken or at its deadline
//   asleep      0             rouser   rouse: the thread polls and goes on waiting; futex call
//
// The one thread that sleeps at the host's bell (host_bell.h) has kAtBell with kAsleep: then the
// futex call of the table is a ring of the bell, which has another word.
//
// While it waits it polls, and runs the ults that are ready where kernel threads lend themselves
// (lend.h). Elsewhere it counts those that wait and do not sleep for good: a packet that none looks
// for may be in their hands (stillness.h).
//
// Memory order: [R1] release, pairs with [A1] acquire: what was written before wake() is seen.
// Thread safety: wake any thread; rouse as sleepers.h says; the rest its own thread.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform/bell.h"
#include "exec/ult/idle/sleepers.h"
#include "exec/ult/strand.h"

namespace heddle::ult {

class KernelStrand final : public Strand, public Sleeper {
 public:
  // The calling kernel thread's. Never destroyed, so that late destructors may still wait.
  static KernelStrand& mine() noexcept;

  KernelStrand() = default;
  void wake() noexcept override;
  void rouse() noexcept override;
  bool may_help(int) const noexcept override { return false; }
  bool park_self_until(std::int64_t deadline_ns) noexcept;
  // Waits as park_self_until() does. For the stand-in, which lends itself to no other thread's work
  // (stand_in.h).
  bool wait_until(std::int64_t deadline_ns) noexcept;
  // Sleeps until woken or at the deadline, and looks at nothing meanwhile. True: a wake-up was
  // absorbed.
  bool doze_until(std::int64_t deadline_ns) noexcept;

  // True if no kernel thread that waits may poll now: all sleep without a deadline, after a last
  // look. `count`: how often one has gone to sleep so. Of no meaning where kernel threads lend
  // themselves. Any thread.
  static bool all_sleep_for_good(std::uint64_t* count) noexcept;

 private:
  static constexpr std::uint32_t kAsleep = 1, kAtBell = 2, kOneWake = 4;

  bool absorb_one() noexcept;
  bool wait_awake(std::int64_t deadline_ns) noexcept;   // true: a wake-up was absorbed
  void sleep_until(std::int64_t deadline_ns) noexcept;  // or until woken or roused
  void sleep_listed(std::int64_t deadline_ns) noexcept;
  void sleep_at(platform::Bell& bell, std::int64_t deadline_ns) noexcept;
  static void sleep_and_look(platform::Bell& bell, std::uint32_t rings,
                             std::int64_t deadline_ns) noexcept;
  void sleep_and_look() noexcept;
  void let_go(std::uint32_t asleep) noexcept;
  bool begin_sleep(std::int64_t deadline_ns) noexcept;  // true: it counts as one for good
  static void end_sleep(bool for_good) noexcept;

  std::atomic<std::uint32_t> word_{0};
  // Used by the strand's own thread only.
  bool spins_ = true;
  bool owes_nudge_ = false;  // bell_place.h
  bool counts_ = false;      // while it waits
};

}  // namespace heddle::ult
