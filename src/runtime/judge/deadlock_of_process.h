// deadlock_of_process.h — the proof of deadlock.h where each rank is a process of its own, on one
// node (singleton.h, job_page.h).
//
// There is no worker and no call monitor. Each thread of the process that waits looks by itself,
// when it has slept for 30 ms, and then again (exec/ult/own_sleep.h). What it finds goes into the
// process's card, and it looks at those of the others, as deadlock_between.h says. In place of P2
// to P5:
//
//   T1  each kernel thread sleeps for good in a NotedWait, without a timer or, at the bell, with
//       one that only asks; and each ult of the lent worker is in such a wait, with timers that
//       only ask
//   T2  they are all threads that the kernel knows of this process, and no other process has its
//       memory
//   T3  each of them has been asleep in the kernel, which says so, since an earlier look that found
//       T1; and none has begun another wait meanwhile. So none was woken: a wake-up makes a thread
//       run before the one that wakes it can begin a wait
//   T4  no signal has a handler, be it the program's or a library's, and no packet waits to be sent
//
// models/still_threads.pml checks T1 to T3. So nothing of the process runs unless its bell rings.
// (The thread that looks tries once more to take what it waits for.)
//
// Not proven, so the job waits as before: ranks with handlers (Python has one), by a network, and a
// thread that waits for anything else: a pipe, a lock of a file, input, what processes share.
//
// Thread safety: watch_process_for_deadlock the strand that initializes, once.

#pragma once

namespace heddle::runtime {

class Hosts;
class Way;

// Where the job has several processes of one board, if mpiexec wants this. Both stay.
void watch_process_for_deadlock(Hosts& hosts, Way& way);

}  // namespace heddle::runtime
