// program_signals.h — what a program does with signals, where workers have one for themselves
// (impl/time_slice.h).
//
//   the program                       what becomes of it
//   --------------------------------  ------------------------------------------------------------
//   sets what SIGURG does             kept here, told as the old action, and done for each SIGURG
//                                     that the scheduler has not sent
//   blocks SIGURG in a ult            left out
//   blocks other signals in a ult     they are blocked on its worker, which goes on to be interrupted
//
// Thread safety: any strand; change_signal_mask about the calling one's kernel thread.

#pragma once

#include <signal.h>

namespace heddle::ult {

// Whether it is the signal that interrupts workers, now or later.
bool interrupts_workers(int signal) noexcept;

// sigaction() for that one; either may be nullptr.
void exchange_program_action(const struct sigaction* action, struct sigaction* old) noexcept;

// In the handler: does what the program wants to be done for a SIGURG.
void act_for_program(siginfo_t* info, void* context);

// pthread_sigmask or sigprocmask, of which `change` is libc's. Its result.
int change_signal_mask(int (*change)(int, const sigset_t*, sigset_t*), int how, const sigset_t* set,
                       sigset_t* old) noexcept;

}  // namespace heddle::ult
