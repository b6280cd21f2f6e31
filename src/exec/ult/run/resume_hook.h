// resume_hook.h — what each switch calls when a ult goes on: the hook that
// Worker::set_resume_hook() has set, or, once switches are attended, a function that meters, tells
// the watch and then calls that hook.
//
// Thread safety: any thread.

#pragma once

#include <atomic>

namespace heddle::ult {

using ResumeHook = void (*)(int worker);

extern constinit std::atomic<ResumeHook> the_resume_hook;

// nullptr: none. relaxed: it needs nothing else that its setter made.
[[gnu::always_inline]] inline ResumeHook resume_hook() noexcept {
  return the_resume_hook.load(std::memory_order_relaxed);
}

}  // namespace heddle::ult
