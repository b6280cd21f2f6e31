// signals.h — signals of a rank as its program sees them. For signals each rank is like a process
// of its own.
//
//   rank_signals.h   what is kept of a rank and of a strand
//   kernel_actions.h what the kernel does with a signal
//   dispatch.h       its handler, and whose signal it is
//   frame.h          the program's handler, on the program's stack
//   pending.h        signals that no strand has taken yet, and strands that wait for them
//   nudge.h          how a strand is told to look
//   kept_signals.h   which signals come to our handler without an action
//   signal_waits.h   waits for signals, and waits that they end
//   jumps.h          longjmp out of a handler
//   signal_thread.h  timers, signals from outside, strands that could not be interrupted
//   processor_timers.h, created_timers.h   the other timers
//
// Functions named like libc's have its results and errno. They are for strands for which
// kept_here() is true.
//
// Thread safety: the calling strand about itself and its rank.

#pragma once

#include <signal.h>

#include "exec/process/signals/rank_signals.h"

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

}  // namespace heddle::process::signals
