// cpu.h — the few things that differ between processors.

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

// Starts to fetch what will be written soon, here and in the lines behind it: memory that another
// core wrote last takes as long to come as hundreds of instructions.
inline void fetch_for_writing(const void* memory, int lines) noexcept {
  const auto* bytes = static_cast<const char*>(memory);
  for (std::ptrdiff_t i = 0; i < lines; ++i) __builtin_prefetch(bytes + i * kCacheLine, 1);
}

}  // namespace heddle::platform
