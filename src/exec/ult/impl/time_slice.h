// time_slice.h — takes a worker from a ult that keeps it.
//
// Ults take turns where they wait. One that computes for long, or spins until another one has done
// something, would keep its worker; so a timer ticks on the processor time of each worker, and where
// one ult has run from a tick to the next, the signal's handler yields in its place:
//
//   tick ─► has the worker switched since the last one? ─ no ─► is it code of the program? ─ yes ─► yield,
//                                                                                on the ult's own stack
//
// The worker looks at its timers and pollers first: among ults that compute, nobody else does.
//
// Such a ult is known to compute (Scheduled::computes) until it waits. While it runs, whoever has news for
// its worker sends the signal, too: a message does not wait for a tick.
//
// Only code of the program can be left so (SchedulerOptions::may_interrupt): who is in libc, in MPI or
// in the scheduler may hold what the next ult waits for, and is asked again at the next tick. Processor
// time, and not time, so that ticks interrupt no system call that waits. The signal is SIGURG, which is
// ignored otherwise and which debuggers let pass. Ours carry a value of ours; others are the program's
// (program_signals.h).
//
// Thread safety: a TimeSlice belongs to its worker's kernel thread.

#pragma once

#include <signal.h>

#include <ctime>

#include "exec/ult/scheduler.h"

namespace heddle::ult {

constexpr int kInterrupt = SIGURG;

// Before the workers begin.
void prepare_time_slices(const SchedulerOptions& options) noexcept;
// Whether it was done with slices, ever in this process: the signal has its handler.
bool time_slices_prepared() noexcept;

// News for the worker that this kernel thread runs.
void interrupt_worker(int kernel_thread) noexcept;
// Its ult stands in a call, and has a request to go away in it (away.h).
void ask_to_go_away(int kernel_thread) noexcept;

// While it lives, the calling kernel thread gets ticks.
//
// A tick that finds the ult outside of the program's code while others are ready asks for another one soon, by
// the clock: a loop around a function of libc is in its own code for a hundredth of the time, perhaps, and
// the kernel's ticks are some milliseconds apart.
class TimeSlice {
 public:
  explicit TimeSlice(std::int64_t slice_ns) noexcept;  // 0: none
  ~TimeSlice();
  TimeSlice(const TimeSlice&) = delete;
  TimeSlice& operator=(const TimeSlice&) = delete;

  // Also in the handler.
  void tick_soon() noexcept;
  void soon_has_come() noexcept { soon_is_set_ = false; }

 private:
  timer_t ticks_{};
  timer_t soon_{};
  bool runs_ = false;
  bool soon_is_set_ = false;
};

}  // namespace heddle::ult
