// cancellation.h — pthread_cancel of a thread that waits here and not in libc.
//
// libc knows whether a thread is cancelled and whether it may be, and does the rest
// (pthread_testcancel unwinds the stack and runs cleanup handlers). This file only ends the
// thread's wait.
//
// Thread safety: each function the thread about itself; Interrupt::request by the thread that
// cancels it, after libc's pthread_cancel.

#pragma once

#include "exec/ult/interrupt.h"

namespace heddle::process {

// Sets the interrupt that ends the calling thread's waits; nullptr: cancellation no longer ends
// them.
void adopt_interrupt(ult::Interrupt* interrupt) noexcept;

// Called for a wait in one of POSIX's cancellation points: the thread's interrupt, or nullptr if it
// may not be cancelled now.
ult::Interrupt* cancellation_point() noexcept;

// After a wait that was interrupted: unwinds the thread. Returns only if the thread is being
// unwound already and a cleanup handler waits; such waits are not interrupted any more.
void act_on_cancellation();

// True if the calling thread is a ult of the asynchronous type.
bool is_asynchronous() noexcept;

// pthread_setcanceltype of a ult, which libc does not hear of. With the asynchronous type it would
// signal the kernel thread, and a ult has none of its own (threads/cancel_signal.h).
int set_cancel_type_of_ult(int type, int* old);

}  // namespace heddle::process
