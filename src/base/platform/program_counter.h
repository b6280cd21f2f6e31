// program_counter.h — where a signal has interrupted its thread.

#pragma once

#include <ucontext.h>

#include <cstdint>

namespace heddle::platform {

inline std::uintptr_t program_counter(const ucontext_t& context) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#endif
}

// Where the function that was just called would return to.
inline std::uintptr_t return_address(const ucontext_t& context) noexcept {
#if defined(__x86_64__)
  return *reinterpret_cast<std::uintptr_t*>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.regs[30];
#endif
}

}  // namespace heddle::platform
