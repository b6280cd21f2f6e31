// interruption.h — what a ult does before it goes on where it was interrupted: the layers above may
// unwind it there.
//
// The hook is called in a ult that the scheduler's signal has interrupted, and before and after the
// ult is away (preempt/away.h, outside.h): on its own stack, with what was interrupted. If it
// unwinds the ult, the ult comes back to its worker first. Where Act::kUnwind is forbidden
// (base/standing.h) it must not; the hook comes once more.
//
// Thread safety: any thread.

#pragma once

#include <ucontext.h>

#include <atomic>

namespace heddle::ult {

// Null, as at the start: nothing. relaxed in all: it is a function.
inline constinit std::atomic<void (*)(ucontext_t&)> interruption_hook{nullptr};

inline void call_interruption_hook(ucontext_t& interrupted) {
  if (auto* const hook = interruption_hook.load(std::memory_order_relaxed)) hook(interrupted);
}

}  // namespace heddle::ult
