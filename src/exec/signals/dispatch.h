// dispatch.h — the one handler that the kernel knows, and which rank's it becomes.
//
//   what has come                                     whose it is
//   ------------------------------------------------  ----------------------------------------------------
//   a fault; SIGPIPE; raise, abort, pthread_kill       the rank's that caused it, at once
//   a nudge: something is pending for the strand       the strand's, if it may be interrupted here; else it
//   (pending.h)                                        stays pending, and the courier comes again
//   SIGPROF, SIGVTALRM of a timer on processor time    the rank's that is running; dropped if it has no handler
//   anything else, from outside of the process         every rank's that has a handler, through the courier;
//                                                      where none has, what it was for the process
//
// A rank without an action of its own has what the process had before: a crash report (exec/crash), the
// end of the job, or the system's default.
//
// A strand may be interrupted in code of its program and in a system call that the program waits in; not
// in MPI, the scheduler, or between: a handler may print, and so needs locks that are held there.
//
// Thread safety: any thread.

#pragma once

#include <signal.h>

#include <cstdint>

namespace heddle::signals {

// Whether code at this address is the program's, and nothing of ours is under way that it called. Once,
// before the first rank.
void set_program_code_test(bool (*is_program_code)(std::uintptr_t program_counter)) noexcept;

// From now on the kernel's handler of this signal is ours; a rank wants this action for it. errno.
int dispatch_from_now_on(int signal, const struct sigaction& wanted) noexcept;

// A signal of which the scheduler has made the handler, and which was not its own.
void dispatch(int signal, siginfo_t* info, void* context);

// The calling strand runs handlers for what is pending and it does not block.
void run_pending();

}  // namespace heddle::signals
