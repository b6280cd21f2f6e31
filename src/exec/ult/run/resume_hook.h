// resume_hook.h — what each switch calls when a ult goes on: the hook that
// Worker::set_resume_hook() has set, or, once switches are attended, a function that meters, tells
// the watch (watch.h) and then calls that hook.
//
// Thread safety: any thread.

#pragma once

#include <atomic>

#include "exec/ult/watch.h"

namespace heddle::ult {

using ResumeHook = void (*)(int worker);

extern constinit std::atomic<ResumeHook> the_resume_hook;
extern constinit std::atomic<const Watch*> the_watch;

// nullptr: none. relaxed: it needs nothing else that its setter made.
[[gnu::always_inline]] inline ResumeHook resume_hook() noexcept {
  return the_resume_hook.load(std::memory_order_relaxed);
}

// acquire: its fields; pairs with set_watch.
inline const Watch* watch() noexcept {
  return the_watch.load(std::memory_order_acquire);
}

}  // namespace heddle::ult
