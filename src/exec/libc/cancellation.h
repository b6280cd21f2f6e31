// cancellation.h — pthread_cancel of a thread that waits here and not in libc.
//
// Whether a thread is cancelled, and whether it may be, is libc's knowledge; so is what then happens
// (pthread_testcancel unwinds the stack and runs cleanup handlers). Here is only what ends its wait.
//
// Thread safety: each function the thread about itself; Interrupt::request by the thread that cancels it,
// after libc's pthread_cancel.

#pragma once

#include "exec/ult/interrupt.h"

namespace heddle::libc {

// By what the calling thread is told; nullptr: its waits are no longer cancelled.
void adopt_interrupt(ult::Interrupt* interrupt) noexcept;

// For a wait in one of POSIX's cancellation points: the thread's, or nullptr where it may not be
// cancelled now.
ult::Interrupt* cancellation_point() noexcept;

// After a wait that was interrupted: unwinds the thread. Returns if it is on its way out already, in
// a cleanup handler that waits; then it is no longer interrupted.
void act_on_cancellation();

}  // namespace heddle::libc
