// cpu.h — the few things that differ between processors.

#pragma once

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

}  // namespace heddle::platform
