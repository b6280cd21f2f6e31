// ticks.h — sends the signals that take a worker from its ult (time_slice.h).
//
// The kernel's timers send ticks, one for each slice of processor time of a worker's kernel thread.
// Threads with news for a worker and the call monitor send the others. All are kInterrupt, with a
// value that says which.
//
// Thread safety: Ticks belong to the worker's kernel thread that they come to; the rest any thread,
// also in a signal handler.

#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace heddle::ult {

constexpr int kInterrupt = SIGURG;

// The reason for a kInterrupt.
enum class Reason {
  kProgram,   // none of ours
  kTick,      // of the processor time
  kSoonTick,  // of the clock, see below
  kNews,      // for a worker whose ult computes
  // The ult has had its worker for a slice of the clock, in calls: its turn is over. It may have a
  // request to go away in the call that it stands in (away_request.h).
  kAskedAway,
};
Reason reason_of(const siginfo_t& info) noexcept;

// True once kInterrupt has the scheduler's handler.
extern constinit std::atomic<bool> has_interrupt_handler;

// Tells the worker that this kernel thread runs of news.
void interrupt_worker(int kernel_thread) noexcept;
// Tells the ult that makes system calls on this kernel thread so. It may have a request to go away
// (away.h).
void ask_to_go_away(int kernel_thread) noexcept;

// While it lives, the calling kernel thread gets ticks.
//
// A tick may find the ult outside of the program's code while others are ready. Then it asks for
// another tick soon, by the clock. For the kernel's ticks are some milliseconds apart, and a loop
// around a function of libc may be in its own code for only a hundredth of the time.
class Ticks {
 public:
  explicit Ticks(std::int64_t slice_ns) noexcept;  // 0: none
  ~Ticks();
  Ticks(Ticks&&) = delete;

  // The ticks of the calling kernel thread, or nullptr. Requires that no ult's TLS block is
  // installed.
  static Ticks* of_this_thread() noexcept;

  // The handler may call it, too.
  void tick_soon() noexcept;
  void soon_has_come() noexcept { soon_is_set_ = false; }

 private:
  timer_t ticks_{};
  timer_t soon_{};
  bool runs_ = false;
  bool soon_is_set_ = false;
};

}  // namespace heddle::ult
