// kernel_actions.h — what the kernel does with a signal: as it was for the process, or a handler of ours.
//
// The kernel has one action for all ranks. Once a rank wants another one than there was, the handler is ours, and
// stays so. What there was is kept, for ranks without an action of their own and for children of fork.
//
// Thread safety: any thread; all except take_over in handlers, too.

#pragma once

#include <signal.h>

namespace heddle::signals {

// From now on the handler is `ours`. Calls that it interrupts go on as long as every rank wants that. errno.
int take_over(int signal, bool restarts, void (*ours)(int, siginfo_t*, void*)) noexcept;

// Of a signal whose handler is the scheduler's, which calls ours.
void share_with_scheduler(int signal) noexcept;

// True if the process ignored the signal before.
const struct sigaction& action_before(int signal) noexcept;
bool was_ignored(int signal) noexcept;

// In the child of a fork: makes the kernel's action the rank's again, or what it was before.
void give_back(int signal, const struct sigaction* own) noexcept;

// What happens on a signal without a handler.
enum class Default { kEnd, kIgnore, kStop };
Default default_of(int signal) noexcept;

}  // namespace heddle::signals
