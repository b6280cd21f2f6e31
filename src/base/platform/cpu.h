// cpu.h — the few instructions that differ between processors.
//
// Thread safety: any thread.

#pragma once

#include <cstddef>

namespace heddle::platform {

constexpr int kCacheLine = 64;

// Tells the core that this is a waiting loop.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Starts to fetch `lines` cache lines from `memory` on, which the caller will write soon. A line
// that another core wrote last takes as long to come as hundreds of instructions.
inline void fetch_for_writing(const void* memory, int lines) noexcept {
  const auto* bytes = static_cast<const char*>(memory);
  for (std::ptrdiff_t i = 0; i < lines; ++i) {
#if defined(__x86_64__)
    // The compiler's own is prefetcht0, for reading, unless it is told -mprfchw. A processor that
    // does not know prefetchw passes it by.
    asm volatile("prefetchw %0" : : "m"(bytes[i * kCacheLine]));
#else
    __builtin_prefetch(bytes + i * kCacheLine, 1);
#endif
  }
}

// Starts to fetch `bytes` from `memory` on, which the caller will read soon: all lines at once.
inline void fetch(const void* memory, std::size_t bytes) noexcept {
  const auto* const begin = static_cast<const char*>(memory);
  for (std::size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(begin + at);
}

}  // namespace heddle::platform
