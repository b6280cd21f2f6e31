// cancel_signal.h — a ult is cancelled where it computes, or waits in the kernel for a function of
// libc.
//
// libc cancels such a thread by a signal of its own to the thread's kernel thread. Its handler
// unwinds the thread if that is in a cancellation point of libc. The kernel thread that has made a
// ult's TLS block has ended. So the signal goes to the one that the ult stands on now, and calls
// libc's handler in the ult's TLS block:
//
//   where the ult is                               it is unwound by
//   ---------------------------------------------  ------------------------------------------------
//   in a cancellation point of libc, on its        the signal; its worker is left to the other
//   worker or away (ult/preempt/away.h)            ults, or it comes back to it first
//   in code of its program, and is asynchronous    the signal
//   elsewhere, and is asynchronous                 the first tick that finds it in code of its
//                                                  program
//   parked in a cancellation point of ours         itself (sleep/cancellation.h)
//   elsewhere                                      itself, at its next cancellation point
//
// A signal may come to a kernel thread that the ult has left meanwhile. Then the ult finds the
// request itself, when its call has returned (ult::interruption_hook).
//
// In MPI and where it holds locks of the host, the ult is not unwound.
//
// Thread safety: any thread.

#pragma once

#include "exec/process/threads/thread_record.h"

namespace heddle::process {

// Called after libc's pthread_cancel and `thread.canceled`; `thread` is a ult that is not over.
void send_cancel_signal(Thread& thread) noexcept;

}  // namespace heddle::process
