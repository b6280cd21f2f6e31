// wait_notes.h — what a strand that waits for other threads of its rank says in a report of a
// deadlock (exec/ult/stillness.h).
//
// Thread safety: as NotedWait.

#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "exec/ult/stillness.h"

namespace heddle::process {

inline std::string with_address(const char* what, const void* object) {
  std::array<char, 96> text;
  std::snprintf(text.data(), text.size(), "%s at %p", what, object);
  return text.data();
}

inline ult::WaitNote note_lock(const char* call, const void* lock) noexcept {
  return {call, [](const void* of) { return with_address("the lock", of); }, lock,
          ult::WaitReason::kThreads};
}
inline ult::WaitNote note_condition(const void* condition) noexcept {
  return {"pthread_cond_wait",
          [](const void* of) { return with_address("a signal of the condition", of); }, condition,
          ult::WaitReason::kThreads};
}
inline ult::WaitNote note_barrier(const void* barrier) noexcept {
  return {
      "pthread_barrier_wait",
      [](const void* of) { return with_address("threads that have not come to the barrier", of); },
      barrier, ult::WaitReason::kThreads};
}
inline ult::WaitNote note_semaphore(const void* semaphore) noexcept {
  return {"sem_wait", [](const void* of) { return with_address("a post of the semaphore", of); },
          semaphore, ult::WaitReason::kThreads};
}
inline ult::WaitNote note_futex(const void* word) noexcept {
  return {"futex", [](const void* of) { return with_address("a change of the word", of); }, word,
          ult::WaitReason::kThreads};
}
inline ult::WaitNote note_end_of_threads(const char* call) noexcept {
  return {call, [](const void*) -> std::string { return "the end of a thread"; }, nullptr,
          ult::WaitReason::kThreads};
}

}  // namespace heddle::process
