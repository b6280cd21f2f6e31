// alert.h — a ult is asked to run something while it waits: the handlers of its rank's signals
// (exec/process/signals).
//
//   alert(ult) ──► its worker's inbox ──► `alerted`; parked or frozen: made ready
//              ──► its wait ends the alert: leaves all queues, answer_alert(), waits again
//
// A waiter hands nothing over to those that may alert it, and a waker knows nothing of alerts. A
// wait that heeds them loads one flag before it parks. A wake-up counts as before: a strand that is
// alerted has absorbed none. Before the answer the strand withdraws from what it waits for, so what
// runs in the answer may wait, too.
//
// Completion::wait, Event::wait and waits on top of them heed alerts; Strand::park, park_until and
// sleep_until do not. An alert that finds the ult elsewhere is heeded at its next wait that does,
// or comes to nothing when the ult ends.
//
// Thread safety: alert any thread, while the ult lives and has not begun to end; the rest the ult
// about itself.

#pragma once

namespace heddle::ult {

class Ult;

// Never switches, never blocks.
void alert(Ult& ult) noexcept;

// The calling ult, also in a signal handler that has interrupted it.
void alert_self() noexcept;

// Sets what an answer calls; nullptr, as at the start: nothing. It may switch.
void set_alert_handler(void (*handler)()) noexcept;

// Ends the alert of the calling ult, and calls the handler. May switch.
void answer_alert();

}  // namespace heddle::ult
