#include "base/platform/thread_pointer.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::platform {

// The compiler takes __builtin_thread_pointer() for a constant, which it may read again later.
char* exchange_thread_pointer(char* thread_pointer) noexcept {
  char* before = nullptr;
#if defined(__x86_64__)
  asm volatile("movq %%fs:0, %0" : "=r"(before));
  constexpr long kSetFs = 0x1002;  // ARCH_SET_FS
  syscall(SYS_arch_prctl, kSetFs, thread_pointer);
#else
  asm volatile("mrs %0, tpidr_el0" : "=r"(before));
  asm volatile("msr tpidr_el0, %0" : : "r"(thread_pointer) : "memory");
#endif
  return before;
}

bool can_set_thread_pointer() noexcept {
#if defined(__x86_64__)
  constexpr unsigned long kFsGsBase = 2;  // HWCAP2_FSGSBASE, in <asm/hwcap2.h> of newer kernels
  return (getauxval(AT_HWCAP2) & kFsGsBase) != 0;
#else
  return true;  // aarch64: TPIDR_EL0 always belongs to the user
#endif
}

}  // namespace heddle::platform
