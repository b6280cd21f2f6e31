// call_monitor.h — finds workers that stand in a system call and asks their ults to go away
// (away.h).
//
// A kernel thread of its own looks at the workers once in a period:
//
//   look   a worker that ...                                     then
//   -----  ----------------------------------------------------  ----------------------------------
//   any    sleeps because it has nothing to run, or has          forgotten
//          switched since the last look
//   n      has not switched: what does the kernel say of it      not in a call: forgotten; else
//          (/proc/self/task/TID/syscall)?                        noted
//   n + 1  is in the same call, with the same arguments          asked, with a spare kernel thread;
//                                                                not again if it has refused a call
//                                                                with a duration, which would begin
//                                                                anew
//
// The monitor waits for no lock of libc: one may have been promised to a ult that is away, and then
// only the monitor's signals bring the others to take it. So a second thread makes the spare
// threads.
//
// It does not matter whether other ults of the worker are ready: those that become ready later then
// find the worker free. When all workers sleep, the monitor sleeps, too (monitor_sleep.h).
//
// Without /proc, or on a kernel that hides a thread's system call, it asks no ult.
//
// Thread safety: as the scheduler's start and stop.

#pragma once

#include <cstdint>
#include <span>

namespace heddle::ult {

class ThreadWorker;

// Watches `workers` until stop_call_monitor(). Returns an errno, 0 on success.
int start_call_monitor(std::span<ThreadWorker* const> workers, std::int64_t period_ns) noexcept;
void stop_call_monitor() noexcept;

}  // namespace heddle::ult
