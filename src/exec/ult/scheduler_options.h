// scheduler_options.h — the options of the scheduler (scheduler.h), and its counters.
//
// Thread safety: plain values.

#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::ult {

enum class Binding { kCore, kNone };

struct SchedulerOptions {
  int workers = 0;  // 0: one for each allowed core
  Binding binding = Binding::kCore;
  int first_core = 0;  // of the allowed ones: where worker 0 is bound; the others follow
  // How long an idle worker spins before its first sleeps. It is longer than waking a core usually
  // takes. Later the worker adapts it to how long it sleeps.
  std::int64_t spin_ns = 100'000;
  std::size_t stack_bytes = 256 << 10;  // of a ult that asks for nothing else
  // A ult that has had its worker for one to two slices of processor time yields, if a tick
  // interrupts it where Act::kBeInterrupted allows it (base/standing.h) and
  // `is_program_code(program_counter, top_of_stack)` is true. That is called in a signal handler,
  // on the ult. A ult that has been in one system call for two to three slices keeps its kernel
  // thread, and its worker goes on with another one, where Act::kLeaveCall allows it. 0: never.
  std::int64_t slice_ns = 0;
  bool (*is_program_code)(std::uintptr_t program_counter, std::uintptr_t top_of_stack) = nullptr;
  std::uint64_t yield_seed = 0;  // debug builds: non-zero forces seeded random yields
  bool forced_moves = true;      // and moves (move.h), where there are several workers
};

// Events of a worker, or summed over those of the running scheduler.
struct SchedulerCounters {
  std::uint64_t switches = 0;
  std::uint64_t kernel_sleeps = 0;
  std::uint64_t remote_wakes = 0;
  std::uint64_t moves = 0;
};
// Runs on each kernel thread that takes a worker up and, in the end, leaves it: signal stacks and
// the like. A worker may be taken up by another thread before the one before has left.
struct WorkerHooks {
  void (*started)(int worker) = nullptr;
  void (*stopping)(int worker) = nullptr;

  bool operator==(const WorkerHooks&) const = default;
};

}  // namespace heddle::ult
