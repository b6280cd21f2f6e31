// signals.h — signals of a rank as its program sees them. For signals each rank is like a process
// of its own.
//
//   rank_signals.h   what is kept of a rank and of a strand
//   kernel_actions.h what the kernel does with a signal
//   dispatch.h       its handler, and whose signal it is
//   frame.h          the program's handler, on the program's stack
//   pending.h        signals that no strand has taken yet, and strands that wait for them
//   nudge.h          how a strand is told to look
//   signal_thread.h  timers, signals from outside, strands that could not be interrupted
//   processor_timers.h, created_timers.h   the other timers
//
// Functions named like libc's have its results and errno. They are for strands for which
// kept_here() is true.
//
// Thread safety: the calling strand about itself and its rank.

#pragma once

#include <setjmp.h>
#include <signal.h>

#include <cstdint>

#include "exec/process/signals/rank_signals.h"
#include "exec/process/sleep/sleep.h"
#include "exec/ult/interrupt.h"

namespace heddle::process::signals {

// Call begin_rank before the rank's program is loaded and end_rank after it has ended, on its main
// strand.
void begin_rank();
void end_rank();

// First and last in a thread of a rank; `blocked` is inherited_mask() of its creator.
Mask inherited_mask() noexcept;
void begin_thread(Mask blocked) noexcept;
void end_thread() noexcept;

// True if the calling strand belongs to a hosted rank; otherwise libc handles its signals.
bool kept_here() noexcept;

int sigaction(int signal, const struct sigaction* action, struct sigaction* old);
int change_mask(int how, const sigset_t* set, sigset_t* old);     // returns an errno
bool swap_mask(const sigset_t& mask, sigset_t* before) noexcept;  // process::swap_mask()
int sigaltstack(const stack_t* stack, stack_t* old) noexcept;
int sigpending(sigset_t* set) noexcept;

// What a signal says that this process sends.
siginfo_t sent(int signal, int code) noexcept;

// Sends the signal to the calling strand, as raise() or, with SI_USER, kill() does; and to its
// rank.
int raise(int signal, int code = SI_TKILL);
int send_to_rank(const siginfo_t& info);

// Waits until a handler has run; meanwhile the strand blocks `blocked`. False: the calling thread
// must act on its cancellation. May switch.
[[nodiscard]] bool suspend(Mask blocked);
// Takes a signal of `wanted`, and waits for one if none is pending. Returns its number, or -1 with
// EAGAIN, EINTR, or ECANCELED: the calling thread must act on its cancellation. May switch.
int take(Mask wanted, std::int64_t deadline_ns, siginfo_t* info);

// Takes a signal for a kernel thread of a rank. It stands around the kernel's own call, to which
// the signal is given.
class TakesInKernel {
 public:
  explicit TakesInKernel(Mask wanted);
  TakesInKernel(const TakesInKernel&) = delete;
  TakesInKernel& operator=(const TakesInKernel&) = delete;

  // Once; also where the thread is cancelled. The signal that was sent to it, or 0: the call has
  // not seen it if it has ended before.
  int end() noexcept;
  // The kernel has given the thread a signal of the process past the signal thread: the other ranks
  // get it, too, and this one once more.
  static void pass_on(const siginfo_t& info) noexcept;
  // What the sender has said.
  const siginfo_t& info() const noexcept { return taken_.info; }

 private:
  RankSignals& rank_;
  Pending::Taken taken_;
  Pending::Waiting waiting_;
};

// What process::sleep_until() and process::settle() do (exec/process/sleep/sleep.h). May switch.
WaitEnd sleep_until(std::int64_t deadline_ns, ult::Interrupt* interrupt);
WaitEnd answer_alert();

// Sets what ends the job when a handler that has interrupted an MPI function (its name) leaves it
// by longjmp. Does not return. Once, before the first rank.
void set_ender_of_left_calls(void (*end_job)(const char* call)) noexcept;

// sigsetjmp and longjmp: the kernel's mask, which libc saves, is not the strand's.
void save_mask(struct __jmp_buf_tag* target) noexcept;
void prepare_jump(struct __jmp_buf_tag* target);

}  // namespace heddle::process::signals
