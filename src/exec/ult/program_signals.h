// program_signals.h — the program's use of the signal that workers have for themselves (preempt/time_slice.h).
//
// A SIGURG that the scheduler has not sent is the program's. The layers above know what it wants to be
// done then (exec/signals).
//
// Thread safety: any thread.

#pragma once

#include <signal.h>
#include <ucontext.h>

namespace heddle::ult {

// Whether it is the signal that interrupts workers, now or later.
bool interrupts_workers(int signal) noexcept;

// What is called in the handler for one of the program's; nullptr, as at the start: nothing.
void set_program_handler(void (*handler)(int, siginfo_t*, void*)) noexcept;

// In the handler: calls it.
void act_for_program(siginfo_t* info, void* context);

// A system call that a signal has interrupted. It goes on where no handler of the program has run: it sees
// EINTR only for a signal of its own. In our handler; for leave_call_to_program at the end of the program's.
void go_on_with_call(ucontext_t& interrupted) noexcept;
void leave_call_to_program(ucontext_t& interrupted) noexcept;

}  // namespace heddle::ult
