// strand.h — something that can wait: a user-level thread, or a kernel thread that calls MPI.
//
// Nearly everything that waits in Heddle is built on park() and wake() (first of all completion.h).
// Two things are not: ults that wait for an event freeze and are thawed as lists (event.h), and
// sleep_until() waits for the clock alone. A Strand counts wake-ups like a semaphore: each wake()
// lets exactly one park() return, in whatever order they come.
//
//   a ult parks           its worker runs another ult, polls, or sleeps in the kernel
//   a kernel thread parks it spins briefly and then sleeps on a futex; where ults have no workers
//                         it runs them (lend.h)
//
// Debug builds with a yield seed (scheduler.h) let others run at park(), before wake() and at the
// other schedule points (base/schedule_point.h), as of Completion and SpinLock; else wake() never
// switches.
//
// Thread safety: wake() any thread; park() only the strand itself. wake() does not touch the strand
// after the wake-up is visible, so a strand that has absorbed every wake-up may be destroyed.

#pragma once

#include <cstdint>

#include "base/wait_end.h"

namespace heddle::ult {

// What a wait does when an alert comes (alert.h).
enum class Alerts : std::uint8_t {
  kIgnores,
  kReturns,  // ends
  kAnswers,  // answers it and goes on; a park cannot, and ends
};

class Strand {
 public:
  // The caller's strand. A kernel thread gets one at its first call.
  static Strand& current() noexcept;

  // Returns once for every wake(). May switch.
  static void park() noexcept;

  // For waits that heed alerts (alert.h): returns false for an alert; then no wake-up was absorbed.
  // May switch.
  [[nodiscard]] static bool park_unless_alerted() noexcept;

  // Parks, and gives up at `deadline_ns` on CLOCK_MONOTONIC (platform::kNever: not), or for an
  // alert, which the caller answers. Only kDone has absorbed a wake-up. May switch.
  static WaitEnd park_until(std::int64_t deadline_ns, Alerts alerts = Alerts::kIgnores) noexcept;

  // Makes one park() of this strand return. Never switches, never blocks.
  virtual void wake() noexcept = 0;

  Strand(Strand&&) = delete;

 protected:
  Strand() = default;
  ~Strand() = default;
};

// Lets other ults of this worker run; a kernel thread yields to the kernel. May switch.
void yield() noexcept;

// Yields as yield() does, and may be called often during long work. It looks at the run queue, and
// only rarely at timers and pollers, so it costs a few ns if no ult is ready. May switch.
void yield_to_ready() noexcept;

// Returns at or after `deadline_ns` on CLOCK_MONOTONIC. May switch.
void sleep_until(std::int64_t deadline_ns) noexcept;

// For loops that wait without parking (MPI_Test in a loop): polls, and now and then lets
// others run. Cheap when nothing else can run. False if nothing has happened meanwhile that this
// worker knows of, so that a second look is of no use. May switch.
bool relax() noexcept;

}  // namespace heddle::ult
