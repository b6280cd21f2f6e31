// sanitizer.h — tells sanitizers what they cannot see: ThreadSanitizer about an order of events,
// and AddressSanitizer about a stack that is no longer used.
//
// When a worker switches from one ult to another, the second goes on after the first. TSan takes
// the two for threads, because each has a TLS block, and sees no synchronization between them.
//
// Before a call that does not return, AddressSanitizer clears its marks of the strand's stack. It
// finds the stack by pthread_getattr_np, which needs a living thread. So functions that run after
// the end of a thread, or without one, are [[gnu::no_sanitize_address]], and the function that
// gives up a stack calls forget_frames().
//
// Thread safety: any thread. Costs nothing in other builds.

#pragma once

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __asan_unpoison_memory_region(const volatile void* low, std::size_t bytes);
#endif

namespace heddle {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kHasThreadSanitizer = true;
#else
inline constexpr bool kHasThreadSanitizer = false;
#endif

// The caller says that nothing on this stack is in use. Frames that were left by a jump have marks
// there.
inline void forget_frames([[maybe_unused]] void* low, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(low, bytes);
#endif
}

// Everything before tsan_release(x) happens before everything after the next tsan_acquire(x).
inline void tsan_release([[maybe_unused]] void* token) noexcept {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(token);
#endif
}
inline void tsan_acquire([[maybe_unused]] void* token) noexcept {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(token);
#endif
}

}  // namespace heddle
