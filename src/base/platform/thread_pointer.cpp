#include "base/platform/thread_pointer.h"

#include <sys/auxv.h>

namespace heddle::platform {

bool can_set_thread_pointer() noexcept {
#if defined(__x86_64__)
  constexpr unsigned long kFsGsBase = 2;  // HWCAP2_FSGSBASE, in <asm/hwcap2.h> of newer kernels
  return (getauxval(AT_HWCAP2) & kFsGsBase) != 0;
#else
  return true;  // aarch64: TPIDR_EL0 always belongs to the user
#endif
}

}  // namespace heddle::platform
