// Signal actions and masks under libc's names: the scheduler has one signal for itself, which neither
// an action of the program nor a mask may take from it (exec/ult/program_signals.h).
// Not under sanitizers, where nobody is interrupted: their own functions come before ours.

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

#include <signal.h>

#include <cerrno>

#include "exec/posix/exports/own_code.h"
#include "exec/posix/libc_calls.h"
#include "exec/ult/program_signals.h"

using namespace heddle;
using posix::is_own_code;

HEDDLE_EXPORT int sigaction(int signal, const struct sigaction* action,
                            struct sigaction* old) noexcept {
  if (is_own_code(__builtin_return_address(0)) || !ult::interrupts_workers(signal)) {
    return posix::libc_calls().sigaction(signal, action, old);
  }
  ult::exchange_program_action(action, old);
  return 0;
}

HEDDLE_EXPORT sighandler_t signal(int signal, sighandler_t handler) noexcept {
  if (!ult::interrupts_workers(signal)) return posix::libc_calls().signal(signal, handler);
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {};
  struct sigaction old;
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ult::exchange_program_action(&action, &old);
  return old.sa_handler;
}

HEDDLE_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  const auto change = posix::libc_calls().sigmask;
  if (is_own_code(__builtin_return_address(0))) return change(how, set, old);
  return ult::change_signal_mask(change, how, set, old);
}

HEDDLE_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  const auto change = posix::libc_calls().sigprocmask;
  if (is_own_code(__builtin_return_address(0))) return change(how, set, old);
  return ult::change_signal_mask(change, how, set, old);
}

#endif
