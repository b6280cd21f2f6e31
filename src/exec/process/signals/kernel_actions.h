// kernel_actions.h — what the kernel does with a signal: as it was for the process, or a handler of
// ours.
//
// The kernel has one action for all ranks. When the first rank sets an action of its own for a
// signal, the kernel's handler becomes ours and stays so; so it does with the first rank for the
// signals that the kernel drops by default (kept_signals.h). The action before is kept: for ranks
// without an action of their own, and for children of fork.
//
// Thread safety: any thread. All functions except take_over may also be called in handlers.

#pragma once

#include <signal.h>

namespace heddle::process::signals {

// Makes `ours` the handler. It always restarts calls: for a rank that does not want that, the end
// of its handler ends the call (frame.h). Returns 0, or -1 and errno.
int take_over(int signal, void (*ours)(int, siginfo_t*, void*)) noexcept;

// Notes that the handler of this signal is the scheduler's, which calls ours.
void share_with_scheduler(int signal) noexcept;

// The process's action before take_over.
const struct sigaction& action_before(int signal) noexcept;

// True if the process ignored the signal before, or ignores it now if it was never taken over.
bool was_ignored(int signal) noexcept;

// Called in the child of a fork: makes `own`, the rank's action, the kernel's. Null: what it was
// before.
void give_back(int signal, const struct sigaction* own) noexcept;

// What happens on a signal without a handler.
enum class Default { kEnd, kIgnore, kStop };
Default default_of(int signal) noexcept;

}  // namespace heddle::process::signals
