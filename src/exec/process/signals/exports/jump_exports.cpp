// longjmp and its kind, which end handlers of the program and set its mask (exec/process/signals).
// sigsetjmp, which returns twice, is in sigsetjmp_x86_64.S.

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

#include <dlfcn.h>
#include <setjmp.h>

#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/signals/jumps.h"

using namespace heddle;
namespace signals = heddle::process::signals;

extern "C" {

// sigsetjmp_x86_64.S uses this.
__attribute__((visibility("hidden"))) void* heddle_libc_sigsetjmp = dlsym(RTLD_NEXT, "__sigsetjmp");
__attribute__((visibility("hidden"))) void heddle_save_mask(__jmp_buf_tag* target) {
  signals::save_mask(target);
}

__attribute__((visibility("default"), noreturn)) void siglongjmp(__jmp_buf_tag* target,
                                                                 int value) noexcept {
  signals::prepare_jump(target);
  libc().siglongjmp(target, value);
  __builtin_unreachable();
}

__attribute__((visibility("default"), noreturn)) void longjmp(__jmp_buf_tag* target,
                                                              int value) noexcept {
  siglongjmp(target, value);
}

__attribute__((visibility("default"), noreturn)) void _longjmp(__jmp_buf_tag* target,
                                                               int value) noexcept {
  siglongjmp(target, value);
}

__attribute__((visibility("default"), noreturn)) void __longjmp_chk(__jmp_buf_tag* target,
                                                                    int value) noexcept {
  signals::prepare_jump(target);
  libc().__longjmp_chk(target, value);
  __builtin_unreachable();
}

}  // extern "C"

#endif
