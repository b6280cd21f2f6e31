// sleep.h — sleeps and yields of programs, during which other ranks of the worker run.
//
// Thread safety: any strand.

#pragma once

#include <signal.h>

#include <cstdint>

#include "base/wait_end.h"
#include "exec/ult/interrupt.h"

namespace heddle::process {

// Sleeps until the deadline (kTimedOut) or a handler of the program (kHandled, kRestarts). kNot:
// the caller must sleep by itself, because it is a kernel thread or loads code. A cancellation
// point. May switch.
WaitEnd sleep_until(std::int64_t deadline_ns);

// What a call of the program does after each wait. The strand stands still if its rank is over. A
// cancelled thread is unwound (kCancelled: it is being unwound already, and its waits are not
// cancelled any more). An alert is answered, and ends the call if a handler of the program has run
// (kHandled, kRestarts; else kAlerted). After kCancelled and kAlerted the call waits again. May
// switch.
WaitEnd settle(WaitEnd end);

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
  WaitEnd (*sleep_until)(std::int64_t deadline_ns, ult::Interrupt* interrupt);
  WaitEnd (*answer_alert)();
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
  WaitEnd pause();

  // For a kernel thread, too. False: a signal handler installed without SA_RESTART has run, so the
  // call that waits must fail with EINTR. A kernel thread takes any handler for one of these.
  [[nodiscard]] bool wait();

 private:
  std::int64_t next_ns() noexcept;

  std::int64_t length_ns_ = 50'000;
};

}  // namespace heddle::process
