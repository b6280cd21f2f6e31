// foreign.h — whether this process has kernel threads or signal handlers that are not ours.
//
// If it has, a program or one of its libraries has made them, and they may do anything
// (runtime/judge/deadlock.h). The count of threads is never too high: a thread is counted after it
// was made, and no longer before it is told to end. But a watch over the job's hosts that has ended
// by itself is still counted; its host takes no part in a proof any more.
//
// Thread safety: any thread. No memory is taken.

#pragma once

#include <atomic>

namespace heddle::platform {

inline constinit std::atomic<int> own_threads{1};  // the process's first

// Called after an own thread was made, and before it is told to end.
inline void count_own_thread(int difference) noexcept {
  own_threads.fetch_add(difference, std::memory_order_relaxed);
}

// The signals' actions that the process has now are ours.
void note_own_handlers() noexcept;
// The action that one signal has now is ours: we have just set it.
void note_own_handler(int signal) noexcept;

bool has_foreign_threads() noexcept;  // true also where the kernel does not say (/proc/self/task)
// True if each other thread of this process sleeps in the kernel; `threads`: how many there are,
// the caller included. A thread that has been woken does not sleep, whether it has run since or
// not. False also where the kernel does not say (/proc/self/task/*/syscall).
bool others_sleep(int* threads) noexcept;
// True if another process has the memory of this one (clone with CLONE_VM). False where the kernel
// does not say (kcmp).
bool shares_memory() noexcept;
bool has_foreign_handlers() noexcept;  // true if a signal's action is another than it was then
bool has_handlers() noexcept;          // true if a signal has one that is not libc's own

}  // namespace heddle::platform
