// signals.h — signals to one kernel thread, and the code that they have interrupted.
//
// They are system calls of their own: libc's functions take a pthread_t, and that of a ult is no
// kernel thread.
//
// Thread safety: any thread; allowed in a signal handler.

#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "base/platform/memory.h"

namespace heddle::platform {

inline int kernel_thread_id() noexcept {
  return static_cast<int>(syscall(SYS_gettid));
}

// A thread of this process. Not libc's pthread_kill: a ult's descriptor is no kernel thread's.
inline void signal_thread(int kernel_thread, int signal) noexcept {
  syscall(SYS_tgkill, getpid(), kernel_thread, signal);
}

// Sends the signal with a value, by which its handler knows it: si_code is SI_QUEUE.
inline void signal_thread(int kernel_thread, int signal, void* value) noexcept {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_value.sival_ptr = value;
  syscall(SYS_rt_tgsigqueueinfo, getpid(), kernel_thread, signal, &info);
}

// True of a signal with a value for which the kernel had no room (RLIMIT_SIGPENDING): it says
// nothing. So does one from another space of process numbers.
inline bool is_without_sender(const siginfo_t& info) noexcept {
  return info.si_code == SI_USER && info.si_pid == 0;
}

// The kernel's masks, which know 64 signals.
constexpr std::size_t kMaskBytes = 8;
inline void signal_mask_of_this_thread(sigset_t* mask) noexcept {
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, mask, kMaskBytes);
}
inline void change_mask_of_this_thread(int how, const sigset_t& set, sigset_t* before) noexcept {
  syscall(SYS_rt_sigprocmask, how, &set, before, kMaskBytes);
}

// An action as the kernel knows it, for the signals that libc's sigaction() refuses to show.
struct RawAction {
  void (*handler)(int, siginfo_t*, void*) = nullptr;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  unsigned long mask = 0;

  static RawAction ignore() noexcept {
    RawAction action;
    action.handler =
        reinterpret_cast<void (*)(int, siginfo_t*, void*)>(reinterpret_cast<void*>(SIG_IGN));
    return action;
  }

  bool is_handler() const noexcept {
    return reinterpret_cast<std::uintptr_t>(handler) > reinterpret_cast<std::uintptr_t>(SIG_IGN);
  }
};
inline bool get_raw_action(int signal, RawAction* action) noexcept {
  return syscall(SYS_rt_sigaction, signal, nullptr, action, kMaskBytes) == 0;
}
inline bool set_raw_action(int signal, const RawAction& action) noexcept {
  return syscall(SYS_rt_sigaction, signal, &action, nullptr, kMaskBytes) == 0;
}

inline std::uintptr_t program_counter(const ucontext_t& context) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#endif
}

inline std::uintptr_t stack_pointer(const ucontext_t& context) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.sp;
#endif
}

// Where the function that was just called would return to. False: nothing can be read there.
inline bool return_address(const ucontext_t& context, std::uintptr_t* address) noexcept {
#if defined(__x86_64__)
  return read_memory(stack_pointer(context), address, sizeof *address);
#elif defined(__aarch64__)
  *address = context.uc_mcontext.regs[30];
  return true;
#endif
}

// Changes `context` to one inside of the call that would return to `address`.
inline void leave_call(ucontext_t& context, std::uintptr_t address) noexcept {
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(address - 1);
  context.uc_mcontext.gregs[REG_RSP] += static_cast<greg_t>(sizeof address);
#elif defined(__aarch64__)
  context.uc_mcontext.pc = address - 4;
#endif
}

}  // namespace heddle::platform
