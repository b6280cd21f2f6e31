// own_threads.h — how many kernel threads of this process are ours, and how many there are.
//
// If there are more, a library of the program has made one, and it may do anything (runtime/deadlock.h). The count is never too
// high: a thread is counted after it was made, and no longer before it is told to end.
//
// Thread safety: any thread.

#pragma once

#include <sys/stat.h>

#include <atomic>

namespace heddle::platform {

inline constinit std::atomic<int> own_threads{1};  // the process's first

// After it was made; before it is told to end.
inline void count_own_thread(int difference) noexcept {
  own_threads.fetch_add(difference, std::memory_order_relaxed);
}

// False also where the kernel does not say: /proc/self/task has a link for each thread, and two of its own.
inline bool all_threads_are_own() noexcept {
  struct stat task;
  return stat("/proc/self/task", &task) == 0 &&
         static_cast<int>(task.st_nlink) - 2 == own_threads.load(std::memory_order_relaxed);
}

}  // namespace heddle::platform
