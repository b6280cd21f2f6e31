// deadlock.h — a job whose ranks all wait for each other says so, and ends with status 1.
//
//   all ranks of the job wait for each other (deadlock; communicator 1 is MPI_COMM_WORLD):
//     rank 0 in MPI_Recv waits for a message from rank 1 with tag 7 (communicator 1)
//     rank 1 in MPI_Barrier waits for ranks that have not called it
//
// It is a proof, not a time limit. At one moment (exec/ult/stillness.h) all of this was true:
//
//   P1  all ranks of the job are on this host, and all have been started; there is no poller (no other host or process)
//   P2  no worker ran, none had a timer, and no wake-up was on its way to one                          Stillness
//   P3  each ult of the process that has not ended is the main strand of a rank and in a NotedWait: a message or a
//       meeting of this process. So none is away in a system call, or waits for a descriptor, a lock, a semaphore, a thread
//   P4  all kernel threads are ours (base/platform/foreign.h). They run ults, or wait for descriptors, timers and signals
//   P5  no program has ever set an action for a signal, nor has a library of it by itself; so no handler can end a wait
//
// What can end a NotedWait? Another strand of a rank: by P2 and P3 none runs, and each could only run after the end of its
// own wait. Our kernel threads: by P3 and P5 they have nothing to do for a rank. Kernel threads of the program: by P4 there are none. A
// signal without a handler ends the job, or changes nothing. A message under way is the work of a strand or an idle worker (P2). So no
// wait can ever end.
//
// What is not proven is not reported: helpers of started collectives, threads of ranks, jobs of several
// processes or hosts, ranks as processes, programs that have set an action for a signal, runs without time slices. There the job waits, as before.
//
// Cost: exec/ult/stillness.h. The judge runs when all workers have gone to sleep, at most once a period of the call monitor.
//
// Thread safety: the main thread, one job at a time; the judge runs on the call monitor's thread and takes the lock of the list.

#pragma once

#include <vector>

namespace heddle::ult {
class Ult;
}

namespace heddle::runtime {

// Watches these main strands, in the order of their ranks, which are all of the job's, from 0 on. All have been spawned.
void watch_for_deadlock(const std::vector<ult::Ult*>& ranks);

// Before a ult is joined: the judge looks at it no more.
void forget_rank(const ult::Ult* rank) noexcept;

}  // namespace heddle::runtime
