// program_signals.h — passes on to the program the signal that workers also use for themselves
// (preempt/time_slice.h).
//
// A SIGURG that the scheduler has not sent is meant for the program. The layers above know what the
// program wants to do then (exec/process/signals).
//
// Thread safety: any thread.

#pragma once

#include <signal.h>
#include <ucontext.h>

namespace heddle::ult {

// True for the signal that interrupts workers, even if they are not interrupted yet.
bool interrupts_workers(int signal) noexcept;

// Sets the function that the signal's handler calls for a signal of the program; nullptr, as at the
// start: none.
void set_program_handler(void (*handler)(int, siginfo_t*, void*)) noexcept;

// Called in the signal's handler: calls the program's function.
void act_for_program(siginfo_t* info, void* context);

// A system call that a signal has interrupted. It goes on where no handler of the program has run:
// it sees EINTR only for a signal of its own. A call with a timeout goes on for the time that is
// left if its ult is away (preempt/away.h). Otherwise the timeout begins anew, since nothing says
// when the call began; a ult is away after two time slices in a call, a kernel thread never. In our
// handler.
void go_on_with_call(ucontext_t& interrupted) noexcept;

// Makes a system call whose number no instruction tells. Returns the kernel's result: -errno for an
// error. The program sees no signal in it but its own.
long make_whole_call(long number, const long (&arguments)[6]) noexcept;

// Called at the end of a handler of the program: the call ends with EINTR, or goes on as `restarts`
// (SA_RESTART) and the kind of call want it.
void leave_call_to_program(ucontext_t& interrupted, bool restarts) noexcept;

}  // namespace heddle::ult
