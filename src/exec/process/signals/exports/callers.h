// callers.h — which calls of signals' functions libc serves itself, and what the others share.
//
// Thread safety: any thread.

#pragma once

#include <pthread.h>

#include <cerrno>

#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/signals/signal_waits.h"
#include "exec/process/signals/signals.h"
#include "exec/process/sleep/cancellation.h"

namespace heddle::process::signals {

// True for a call by code of the process, and where no rank keeps its signals.
inline bool is_libcs(const void* caller) noexcept {
  return !kept_here() || process::is_of_process(caller);
}

// True for a strand whose mask is kept here; the kernel keeps those of kernel threads.
inline bool is_ult() noexcept {
  return kept_here() && strand_signals().is_ult;
}

// sigaction(), called by `caller`.
inline int sigaction_for(const void* caller, int signal, const struct sigaction* action,
                         struct sigaction* old) noexcept {
  return is_libcs(caller) ? libc().sigaction(signal, action, old)
                          : signals::sigaction(signal, action, old);
}

// Sets a handler as signal() does, with these flags.
inline sighandler_t set_handler(int signal, sighandler_t handler, int flags) {
  struct sigaction action = {};
  struct sigaction old = {};
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  action.sa_handler = handler;
  action.sa_flags = flags;
  return signals::sigaction(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

// signal(), called by `caller`, as BSD and as System V have it.
inline sighandler_t signal_for(const void* caller, int signal, sighandler_t handler) noexcept {
  return is_libcs(caller) ? libc().signal(signal, handler)
                          : set_handler(signal, handler, SA_RESTART);
}
inline sighandler_t sysv_signal_for(const void* caller, int signal, sighandler_t handler) noexcept {
  constexpr int kFlags = static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  return is_libcs(caller) ? libc().__sysv_signal(signal, handler)
                          : set_handler(signal, handler, kFlags);
}

// Returns -1 and EINTR, as pause() does. May switch.
inline int suspend_until_handler(Mask blocked) {
  pthread_testcancel();
  while (!suspend(blocked)) process::act_on_cancellation();
  errno = EINTR;
  return -1;
}

}  // namespace heddle::process::signals
