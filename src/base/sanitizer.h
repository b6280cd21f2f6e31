// sanitizer.h — tells ThreadSanitizer about an order of events that it cannot see.
//
// When a worker switches from one ult to another, the second goes on after the first. TSan takes
// the two for threads, because each has a TLS block, and sees no synchronization between them.
//
// Thread safety: any thread. Costs nothing in other builds.

#pragma once

#if defined(__SANITIZE_THREAD__)
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace heddle {

// What was done before hand_over(x) happens before what is done after the next take_over(x).
inline void hand_over([[maybe_unused]] void* token) noexcept {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(token);
#endif
}
inline void take_over([[maybe_unused]] void* token) noexcept {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(token);
#endif
}

}  // namespace heddle
