// program_signals.h — the program's use of the signal that workers have for themselves (preempt/time_slice.h).
//
// A SIGURG that the scheduler has not sent is the program's. The layers above know what it wants to be
// done then (exec/signals).
//
// Thread safety: any thread.

#pragma once

#include <signal.h>

namespace heddle::ult {

// Whether it is the signal that interrupts workers, now or later.
bool interrupts_workers(int signal) noexcept;

// What is called in the handler for one of the program's; nullptr, as at the start: nothing.
void set_program_handler(void (*handler)(int, siginfo_t*, void*)) noexcept;

// In the handler: calls it.
void act_for_program(siginfo_t* info, void* context);

}  // namespace heddle::ult
