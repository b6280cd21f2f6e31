// scheduler.h — the workers of this OS process: one kernel thread a core, each with a run queue.
//
// start() makes the workers, bound by hwloc to cores inside the cgroup and affinity mask. A worker
// runs its ready ults in turn; with none ready it polls, spins for a short time and then sleeps in
// the kernel, so an idle job uses no CPU. Ults stay on the worker where they were placed, until
// they are told to move (move.h).
//
// In a child of fork() no scheduler runs, and the strand that forked is a kernel thread's.
//
// Thread safety: start and stop from one kernel thread that is no worker; the rest from anywhere.

#pragma once

#include "base/error.h"
#include "base/platform/topology.h"
#include "exec/ult/scheduler_options.h"

namespace heddle::ult {

// Starts the scheduler. There is one in a process; start after stop is allowed.
Error start(const SchedulerOptions& options);

// Joins the worker threads. Ults that have not ended stand still from their next switch on, until a
// later start() runs their worker again; one that never switches keeps stop() waiting.
void stop() noexcept;

bool running() noexcept;
int worker_count() noexcept;
// Where this worker is bound, or would be. Of the running scheduler.
platform::Core core_of(int worker) noexcept;

SchedulerCounters counters() noexcept;
// The counters of one worker, also after stop().
SchedulerCounters counters_of(int worker) noexcept;

// Called before start(). Hooks of several modules run in the order in which they were added. Hooks
// that are added twice run once.
void add_worker_hooks(const WorkerHooks& hooks) noexcept;

// From now on each ult has its own sticky exception flags of x87, those of long double. Those of
// SSE it has always. Any thread, any time.
void give_each_its_x87_flags() noexcept;

// Sets a function that runs on every ult just after its worker has resumed it, in its own TLS
// block. It puts in place what the kernel keeps per thread and a rank has for itself
// (exec/process/files/directory.h). It may not switch. nullptr, as at the start: none. May be
// called at any time.
void set_resume_hook(void (*resumed)(int worker)) noexcept;

}  // namespace heddle::ult
