// time_slice.h — takes a worker from a ult that keeps it.
//
// Ults take turns when they wait. One that computes for long, or spins until another one has done
// something, would keep its worker. So a timer ticks on the processor time of each worker. If one
// ult has run from a tick to the next, or is known to compute and another one is ready, the
// signal's handler yields in its place:
//
//   tick ─► is its turn over (Worker::is_turn_over)? ─ yes ─► is it code of the program?
//        ─ yes ─► yield, on the ult's own stack
//
// The worker looks at its timers and pollers first: among ults that compute, no other code does.
//
// Such a ult is known to compute (Turn::computes) until it waits. While it runs, a thread with news
// for its worker sends the signal, too: a message does not wait for a tick.
//
// Only code of the program can be left so (SchedulerOptions::is_program_code, Act::kBeInterrupted).
// A ult in libc, in MPI or in the scheduler may hold a lock for which the next ult waits; it is
// asked again at the next tick, and gives way by itself when it next calls a short function of ours
// (due_turn.h). Ticks count processor time, so they interrupt no system call that waits. The signal
// is SIGURG, because it is ignored by default and debuggers let it pass. The scheduler's carry a
// value of its own; others are the program's (program_signals.h).
//
// The signals themselves are in ticks.h.
//
// Thread safety: before the workers begin.

#pragma once

#include "exec/ult/scheduler_options.h"

namespace heddle::ult {

// Installs the signal's handler, if there are to be slices. Before the workers begin.
void prepare_time_slices(const SchedulerOptions& options) noexcept;

}  // namespace heddle::ult
