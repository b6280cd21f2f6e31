// dispatch.h — the one handler that the kernel knows, and the choice of the rank that gets the
// signal.
//
//   what has come                                     the rank or strand that gets it
//   ------------------------------------------------  ---------------------------------------------
//   a fault; SIGPIPE; raise, abort, pthread_kill       the rank that caused it, at once
//   a nudge: something is pending for the strand       the strand, if it may be interrupted here;
//   (pending.h)                                        else it stays pending, and the signal thread
//                                                      comes again
//   SIGPROF of the kernel's timer                      the rank that is running: a timer of its own
//                                                      may be due (processor_timers.h); alone in
//                                                      its job, its signal
//   anything else, from outside of the process         every rank that handles, blocks or awaits
//                                                      it, through the signal thread; if none does,
//                                                      what was set for the process
//
// A rank without an action of its own has what the process had before: a crash report (exec/crash),
// the end of the job, or the system's default.
//
// A strand may be interrupted in code of its program and in a system call in which the program
// waits; not in MPI or the scheduler, because a handler may print, and so needs locks that may be
// held there. There the strand is alerted (ult/alert.h): its next wait, or the one that it parks
// in, runs the handlers.
//
// Thread safety: any thread.

#pragma once

#include <signal.h>

#include <cstdint>

namespace heddle::process::signals {

// Sets the test that says whether the code at an address is the program's, with no function of ours
// under way that it has called. Once, before the first rank.
void set_program_code_test(bool (*is_program_code)(std::uintptr_t program_counter)) noexcept;

// What that test says of the code at an address.
bool is_code_of_program(std::uintptr_t program_counter) noexcept;

// Makes the kernel's handler of this signal ours, since a rank wants an action for it. Returns an
// errno.
int dispatch_from_now_on(int signal) noexcept;

// Dispatches a signal that has come to the scheduler's handler and was not the scheduler's own.
void dispatch(int signal, siginfo_t* info, void* context);

// Marks a signal that the calling strand is about to send to itself: the kernel's kill() of the
// process, which looks the same, is for the job. The handler sees no mark.
void mark_as_own(siginfo_t& info) noexcept;

// Runs the handlers of all pending signals that the calling strand does not block.
void run_pending();

// Runs the pending handlers, as run_pending() does, in a wait that an alert has ended
// (ult/alert.h). Does nothing if the strand is in a hook or loads code.
void run_pending_while_waiting();

}  // namespace heddle::process::signals
