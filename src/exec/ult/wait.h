// wait.h — the wait of a strand: for a completion, a deadline, a request to give up, or an alert.
//
// MPI, locks, sleeps, descriptors and signals wait by it. Other ways to wait are its parts:
// Completion::wait is the wait without options, and a message's way; Strand::park counts wake-ups;
// an event (event.h) has lists of its own.
//
//   option      the wait ends with    as soon as
//   ----------  --------------------  -------------------------------------------------------------
//               kDone                 the completion is set; this comes before all others
//   interrupt   kCancelled            it is requested
//   deadline    kTimedOut             CLOCK_MONOTONIC has reached it
//   alerts      kAlerted              an alert has come, if the caller answers alerts by itself
//
// After an end other than kDone the strand is not enrolled any more.
//
// Thread safety: a wait is its strand's.

#pragma once

#include <cstdint>

#include "base/platform/futex.h"
#include "base/wait_end.h"
#include "exec/ult/completion.h"
#include "exec/ult/interrupt.h"

namespace heddle::ult {

struct WaitOptions {
  std::int64_t deadline_ns = platform::kNever;
  Interrupt* interrupt = nullptr;
  Alerts alerts = Alerts::kAnswers;
};

// May switch.
WaitEnd wait(Completion& completion, const WaitOptions& options) noexcept;

// Waits for `waiter.completion`. A waker takes the waiter out of some queue first, and sets the
// completion then; `waiter.withdraw()` takes it out for the strand and returns false if a waker was
// first. Then the wait ends with kDone, and no handler runs before, which could leave by longjmp
// while the waker still looks at the waiter. May switch.
template <class Waiter>
WaitEnd wait_in_queue(Waiter& waiter, const WaitOptions& options) noexcept {
  const WaitEnd end = wait(waiter.completion, options);
  if (end == WaitEnd::kDone || waiter.withdraw()) return end;
  return wait(waiter.completion, {.alerts = Alerts::kIgnores});
}

}  // namespace heddle::ult
