// signal_waits.h — how a strand of a rank waits for signals, and how signals end its other waits.
//
// Thread safety: the calling strand about itself and its rank.

#pragma once

#include <signal.h>

#include <cstdint>

#include "base/wait_end.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/interrupt.h"

namespace heddle::process::signals {

// Waits until a handler has run; meanwhile the strand blocks `blocked`. False: the calling thread
// must act on its cancellation. May switch.
[[nodiscard]] bool suspend(Mask blocked);
// Takes a signal of `wanted`, and waits for one if none is pending. Returns its number, or -1 with
// EAGAIN, EINTR, or ECANCELED: the calling thread must act on its cancellation. May switch.
int take(Mask wanted, std::int64_t deadline_ns, siginfo_t* info);

// Takes a signal for a kernel thread of a rank. It stands around the kernel's own call, to which
// the signal is given.
class TakesInKernel {
 public:
  explicit TakesInKernel(Mask wanted);
  TakesInKernel(TakesInKernel&&) = delete;

  // Once; also where the thread is cancelled. The signal that was sent to it, or 0: the call has
  // not seen it if it has ended before.
  int end() noexcept;
  // The kernel has given the thread a signal of the process past the signal thread: the other ranks
  // get it, too, and this one once more.
  static void pass_on(const siginfo_t& info) noexcept;
  // What the sender has said.
  const siginfo_t& info() const noexcept { return taken_.info; }

 private:
  RankSignals& rank_;
  Pending::Taken taken_;
  Pending::Waiting waiting_;
};

// What process::sleep_until() and process::settle() do (exec/process/sleep/sleep.h). May switch.
WaitEnd sleep_until(std::int64_t deadline_ns, ult::Interrupt* interrupt);
WaitEnd answer_alert();

}  // namespace heddle::process::signals
