// deadlock_of_process.h — the proof of deadlock.h where each rank is a process of its own, on one node (singleton.h, job_page.h).
//
// There is no worker and no call monitor. The one thread of the process looks by itself, when it has slept at the host's bell for
// 30 ms, and then a few times more (exec/ult/own_sleep.h). What it finds goes into its card, and it looks at those of the
// others, as deadlock_between.h says; an OwnSleep is what a process shows there that stands still. In place of P2 to P5:
//
//   - it waits in MPI, without a timer or with one that only asks, and no packet of it waits to be sent
//   - the process has no other thread: none of the program, of a library, or of ours, such as the deputy that a started collective makes
//   - no signal has a handler, be it the program's or a library's: nothing of the process runs unless its bell rings
//
// Not proven, so the job waits as before: ranks with threads or with handlers (Python has one), after the first started collective, by a
// network, and a rank that waits for anything that is not MPI: a pipe, a lock of a file, input, a lock of POSIX threads.
//
// Thread safety: watch_process_for_deadlock the strand that initializes, once.

#pragma once

namespace heddle::runtime {

class Members;
class NodeMemory;

// Where mpiexec has started the process as one rank of several, if it wants this. All three stay.
void watch_process_for_deadlock(Members& members, NodeMemory& memory) noexcept;

}  // namespace heddle::runtime
