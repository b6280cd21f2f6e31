// nudge.h — the signal by which a strand learns that something is pending for it (pending.h).
//
// It has the number of what is pending, because only for such a signal the kernel's handler is
// ours.
//
// Thread safety: any thread and handlers.

#pragma once

#include <signal.h>

namespace heddle::process::signals {

// Interrupts `kernel_thread`, which runs a strand with something pending.
void nudge(int kernel_thread, int signal) noexcept;

bool is_nudge(const siginfo_t& info) noexcept;

}  // namespace heddle::process::signals
