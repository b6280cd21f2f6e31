// ticks.h — the signals that take a worker from its ult (time_slice.h), as they are sent.
//
// The kernel's timers send ticks, one for each slice of processor time of a worker's kernel thread. Threads with
// news for a worker and the call monitor send the others. All are kInterrupt, with a value that says which.
//
// Thread safety: Ticks belong to the worker's kernel thread that they come to; the rest any thread, also in a
// signal handler.

#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace heddle::ult {

constexpr int kInterrupt = SIGURG;

// What such a signal is about.
enum class Reason {
  kProgram,    // none of ours
  kTick,       // of the processor time
  kSoonTick,   // of the clock, see below
  kNews,       // for a worker whose ult computes
  kAskedAway,  // the ult stands in a call, and has a request to go away in it (away_request.h)
};
Reason reason_of(const siginfo_t& info) noexcept;

// Whether kInterrupt has a handler of ours; once set, for good.
extern constinit std::atomic<bool> has_interrupt_handler;

// News for the worker that this kernel thread runs.
void interrupt_worker(int kernel_thread) noexcept;
// Its ult stands in a call, and has a request to go away in it (away.h).
void ask_to_go_away(int kernel_thread) noexcept;

// While it lives, the calling kernel thread gets ticks.
//
// A tick that finds the ult outside of the program's code while others are ready asks for another one soon, by
// the clock: a loop around a function of libc is in its own code for a hundredth of the time, perhaps, and
// the kernel's ticks are some milliseconds apart.
class Ticks {
 public:
  explicit Ticks(std::int64_t slice_ns) noexcept;  // 0: none
  ~Ticks();
  Ticks(const Ticks&) = delete;
  Ticks& operator=(const Ticks&) = delete;

  // Those of the calling kernel thread, while no ult's TLS block is installed; nullptr: it gets none.
  static Ticks* of_this_thread() noexcept;

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
