// away.h — a ult that stands in a system call keeps its kernel thread and gives its worker away.
//
//   call monitor    sees a worker in the same call at two looks, 10 ms apart (call_monitor.h);
//                   sends the signal of time slices [R1]
//   K, in the call  the kernel leaves the call and runs the handler, on the ult's stack [A1]:
//                   the ult is away, a spare kernel thread S runs the worker [R2]
//   S               takes the worker up: binding, mask, ticks, working directory, signal stack
//   K               makes that very call again, now outside of every worker, for as long as it
//                   takes; then goes back to its own stack, sends the ult home and is a spare
//   S               finds the ult in the worker's inbox, enters it in the handler, which puts the
//                   result where the program expects it and returns there
//
// The request to do so is the worker's (away_request.h).
//
// A ult that knows that it will wait goes away by itself (outside.h): K then runs its function in
// place of the call.
//
// While a ult is away
//   I1  its state is kAway: wake-ups only count; it is in no queue, list or timer.
//   I2  Ult::current_ is null in its TLS block: a handler of the program that runs on K is a kernel
//       thread's to the scheduler and touches nothing of the worker but its inbox.
//       Its away_on names K.
//   I3  SIGURG is blocked on K, so that its call ends only by itself or by a signal of the program.
//
// A ult goes away in MPI, too, but only where Act::kLeaveCall allows it (base/standing.h): in a
// section without switch it may hold a spin lock for which the next ult would spin, and a strand
// that loads code a lock of the dynamic linker. Such a call is interrupted again and again: if it
// waits for a lock of libc that has become free, it begins anew and ends. Otherwise the lock could
// be promised to a ult that is away and needs this worker.
//
// `models/away.pml` checks the protocol in all schedules, `models/away_locks.pml` that no ult waits
// for ever for a lock.
//
// Memory order: [R1], [A1] and [R2] as in away_request.h; what K has written in the call is seen by
// S by way of the inbox.
// Thread safety: go_away the ult itself, in the signal's handler.

#pragma once

#include <ucontext.h>

namespace heddle::ult {

struct SystemCall;
class Ult;
class WorkerThread;

// Returns true when the call has ended, on the kernel thread that then runs the ult's worker; the
// handler may return. Returns false, and changes nothing else, in three cases: the ult was not
// asked; it is not in that call any more; or it may not leave there or in a handler, which is noted
// in the request if the call must not be interrupted again. Switches if it returns true.
bool go_away(Ult& self, ucontext_t& interrupted, bool in_handler) noexcept;

// If the caller's ult is away, and `call` is the one that it makes there: shortens it to what is
// left of its duration. In a signal handler.
void shorten_if_away(SystemCall& call) noexcept;

// The thread that the caller runs on, also while the TLS block of a ult is installed on it. Null if
// that is no worker's thread. Allowed in a signal handler.
WorkerThread* thread_of_caller() noexcept;

}  // namespace heddle::ult
