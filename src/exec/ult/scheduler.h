// scheduler.h — the workers of this OS process: one kernel thread a core, each with a run queue.
//
// start() makes the workers, bound by hwloc to cores inside the cgroup and affinity mask. A worker
// runs its ready ults in turn; with none ready it polls, spins for a short time and then sleeps in
// the kernel, so an idle job uses no CPU. Ults stay on the worker where they were placed.
//
// In a child of fork() no scheduler runs, and the strand that forked is a kernel thread's.
//
// Thread safety: start and stop from one kernel thread that is no worker; the rest from anywhere.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.h"

namespace heddle::ult {

enum class Binding { kCore, kNone };

struct SchedulerOptions {
  int workers = 0;  // 0: one for each allowed core
  Binding binding = Binding::kCore;
  // How long an idle worker spins before it sleeps, until it has seen how long it sleeps: longer than
  // waking up a core usually takes.
  std::int64_t spin_ns = 100'000;
  std::size_t stack_bytes = 256 << 10;  // of a ult that asks for nothing else
  // A ult that has had its worker for one to two slices of processor time yields if it is interrupted
  // at a place where `may_interrupt(program_counter, top_of_stack)` holds, which is asked in a signal
  // handler, on the ult. 0: never.
  std::int64_t slice_ns = 0;
  bool (*may_interrupt)(std::uintptr_t program_counter, std::uintptr_t top_of_stack) = nullptr;
  // With slices, too: a ult that has been in one system call for two to three of them keeps its kernel
  // thread for it, and its worker goes on with another one, if may_leave() holds, which is asked in the
  // handler. nullptr: never.
  bool (*may_leave)() = nullptr;
  std::uint64_t yield_seed = 0;  // debug builds: non-zero forces seeded random yields
};

// One scheduler a process; start after stop is allowed.
Error start(const SchedulerOptions& options);

// Joins the worker threads. Ults that have not ended stand still from their next switch on, until a
// later start() runs their worker again; one that never switches keeps stop() waiting.
void stop() noexcept;

bool running() noexcept;
int worker_count() noexcept;

// What the running scheduler did, summed over workers; for tests.
struct SchedulerCounters {
  std::uint64_t switches = 0;
  std::uint64_t kernel_sleeps = 0;
  std::uint64_t remote_wakes = 0;
};
SchedulerCounters counters() noexcept;

// Runs on each kernel thread that takes a worker up and, in the end, leaves it: signal stacks and the
// like. A worker may be taken up by another thread before the one before has left. Before start().
struct WorkerHooks {
  void (*started)(int worker) = nullptr;
  void (*stopping)(int worker) = nullptr;
};
void set_worker_hooks(const WorkerHooks& hooks) noexcept;

// Runs on every ult just after its worker resumed it, in its own TLS block, before it goes on: what
// the kernel keeps per thread and a rank wants for itself (exec/libc/directory.h). May not switch.
// nullptr: nothing, as at the start. At any time.
void set_resume_hook(void (*resumed)(int worker)) noexcept;

}  // namespace heddle::ult
