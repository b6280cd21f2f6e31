// deadlock.h — a job whose ranks all wait for each other says so, and ends with status 1.
//
// deadlock_report.h shows what it says. It is a proof, not a time limit. At one moment
// (exec/ult/stillness.h) all of this was true:
//
//   P1  all ranks of the job are in this process, and all have been started. Or they are in
//       processes of this node, or on several hosts, and the rest is true in each of them at the
//       same moment (deadlock_between.h, deadlock_over_hosts.h). No packet is under way between
//       hosts, and none waits to be sent
//   P2  no worker ran, none had a timer but of waits that ask, and no wake-up was on its way to
//       one; no other kernel thread polled (Stillness)
//   P3  each ult of the process that has not ended is in a NotedWait: a main strand or a thread of
//       a rank for a message, a collective, a lock, condition, barrier or semaphore of POSIX
//       threads that no other process shares, or the end of a thread; or the helper of a started
//       collective, for such a message or collective or for its next task. So none is away in a
//       system call, or waits for a descriptor or a time
//   P4  all kernel threads are ours (base/platform/foreign.h). They run ults, or wait for
//       descriptors, timers and signals. No other process has this one's memory, and no task lives
//       that a rank has made by clone (exec/process/children/cloned_tasks.h)
//   P5  no library has set an action for a signal by itself, and no program has ever armed a timer
//       that sends one. If a program has ever set a handler, all waits are in MPI: no handler can
//       end these, but it may post a semaphore
//   P6  each wait that asks whether it waits in vain (AskingWait) has done so since an earlier such
//       moment, and was told no; and no ult has taken a step since that moment
//
// What can end a NotedWait? Another strand of a rank: by P2 and P3 none runs, and each could only
// run after the end of its own wait. Our kernel threads: by P3 and P5 they have nothing to do for a
// rank. Kernel threads of the program: by P4 there are none. A signal without a handler ends the
// job, or changes nothing. A message under way is the work of a strand or an idle worker (P2). A
// wait that asks is answered by what ults that run have written, and has been told no for what
// stands there since (P6). So no wait can ever end.
//
// A handler that runs in a wait takes the wait's note away until it returns
// (exec/process/signals/frame.cpp), since it may do anything. A handler may still end the job in
// which all wait in MPI; if its signal is yet to come from outside, the report comes first.
//
// What is not proven is not reported: threads of ranks that are the kernel's, some of what ranks do
// that are processes (deadlock_of_process.h), runs without time slices. There the job waits, as
// before. So it does where waits that ask wake a process so often that it is hardly ever still:
// some hundred of them in a process, or a hundred processes on a node.
//
// Cost: exec/ult/stillness.h. The judge runs when all workers have gone to sleep, a few times in
// the first seconds.
//
// Thread safety: the main thread, one job at a time; the judge runs on the call monitor's thread
// and takes the lock of the list.

#pragma once

#include <vector>

namespace heddle::runtime {

class Hosts;
class Listener;
class Way;

// Called before the ways to other hosts are opened. Returns the listener to what these say
// of standing still; null: nothing need be heard.
Listener* listen_for_deadlock(const Way& way);

// Watches the main strands of ranks with these numbers (crew/main_strands.h). The hosts stay until
// each is forgotten, the way until the process ends.
void watch_for_deadlock(const std::vector<int>& numbers, Hosts& hosts, Way& way);

}  // namespace heddle::runtime
