// sleep.h — sleeps and yields of programs, during which other ranks of the worker run.
//
// Thread safety: any strand.

#pragma once

#include <signal.h>

#include <cstdint>

#include "exec/ult/interrupt.h"

namespace heddle::process {

// How a sleep has ended, with the values of heddle_sleep_hooks.
enum class Slept {
  // The caller must sleep by itself: it is a kernel thread, or in a constructor of a library.
  kNot = 0,
  kToTheEnd = 1,
  kHandled = 2,   // a handler of the program has run meanwhile
  kRestarts = 3,  // a handler has run after which system calls are to go on (SA_RESTART)
};

// A cancellation point. May switch.
Slept sleep_until(std::int64_t deadline_ns);

// Answers the alert of the calling ult (exec/ult/alert.h). kToTheEnd: no handler of the program has
// run. May switch.
Slept answer_alert();

// How many handlers of the program have begun in the calling strand.
unsigned long handlers_run() noexcept;

// For calls with a mask of signals of their own. Makes `mask` what the calling strand blocks;
// *before is what it has blocked. No handler runs. False: the kernel keeps the strand's mask, and
// nothing has been done.
bool swap_mask(const sigset_t& mask, sigset_t* before) noexcept;

// Runs the handlers of all pending signals that the calling strand does not block. May switch.
void run_pending_handlers();

// What strands with signals of their own do (exec/process/signals), so that a handler can end a
// sleep or another wait. Null, as at the start: no signal ends one. Before the first rank.
struct WaitsWithSignals {
  Slept (*sleep_until)(std::int64_t deadline_ns, ult::Interrupt* interrupt, ult::WaitEnd* end);
  Slept (*answer_alert)();
  unsigned long (*handlers_run)() noexcept;
  bool (*swap_mask)(const sigset_t& mask, sigset_t* before) noexcept;
  void (*run_pending)();
};
void set_waits_with_signals(const WaitsWithSignals* waits) noexcept;

// Lets the other ults of the worker run. False where the caller must do that by itself. May switch.
bool let_others_run() noexcept;

// Pauses for polling what the kernel could only wait for by blocking the worker. Each pause is
// twice as long as the one before, from 50 us to 10 ms. One object, one strand.
class Pauses {
 public:
  // Sleeps without a deadline, as sleep_until() does with one: kNot at once where the caller must
  // wait by itself.
  Slept pause();

  // For a kernel thread, too. False: a signal handler installed without SA_RESTART has run, so the
  // call that waits must fail with EINTR. A kernel thread takes any handler for one of these.
  [[nodiscard]] bool wait();

 private:
  std::int64_t next_ns() noexcept;

  std::int64_t length_ns_ = 50'000;
};

}  // namespace heddle::process
