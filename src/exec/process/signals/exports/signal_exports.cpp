// Signals under libc's names: of a hosted rank they are its own (exec/process/signals).
// Not under sanitizers, whose own functions come before ours.

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "base/platform/clock.h"
#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/signals/exports/callers.h"
#include "exec/process/signals/signals.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/process/threads/threads.h"

using namespace heddle;
namespace signals = heddle::process::signals;
using process::is_of_process;
using signals::is_libcs;
using signals::is_ult;
using signals::set_handler;
using signals::suspend_until_handler;

namespace {

// As libc does: raise() and kill() look alike to a thread that takes the signal.
void hide_thread(siginfo_t* info) noexcept {
  if (info->si_code == SI_TKILL) info->si_code = SI_USER;
}

int take_until(const sigset_t* set, std::int64_t deadline_ns, siginfo_t* info) {
  siginfo_t unused;
  if (info == nullptr) info = &unused;
  pthread_testcancel();
  for (;;) {
    const int signal = signals::take(signals::mask_of(*set), deadline_ns, info);
    if (signal > 0) hide_thread(info);
    if (signal > 0 || errno != ECANCELED) return signal;
    process::act_on_cancellation();
  }
}

void end_taking(void* takes) {
  static_cast<signals::TakesInKernel*>(takes)->end();
}

// On a kernel thread: the kernel's call, which is cancelled as usual.
int take_in_kernel(const sigset_t* set, siginfo_t* info, const timespec* time) {
  if (!signals::kept_here()) return libc().sigtimedwait(set, info, time);
  signals::TakesInKernel takes(signals::mask_of(*set));
  int signal = -1;
  siginfo_t taken = {};
  pthread_cleanup_push(end_taking, &takes);
  signal = libc().sigtimedwait(set, &taken, time);
  pthread_cleanup_pop(0);
  int error = errno;
  const int sent = takes.end();
  constexpr timespec kNow = {};
  if (sent != 0 && signal < 0 && error == EAGAIN) {
    signal = libc().sigtimedwait(set, &taken, &kNow);
    error = errno;
  }
  if (signal > 0 && signal == sent) {
    taken = takes.info();
    hide_thread(&taken);
  } else if (signal > 0) {
    takes.pass_on(taken);
  }
  if (signal > 0 && info != nullptr) *info = taken;
  errno = error;
  return signal;
}

}  // namespace

HEDDLE_EXPORT int sigaction(int signal, const struct sigaction* action,
                            struct sigaction* old) noexcept {
  return signals::sigaction_for(__builtin_return_address(0), signal, action, old);
}

HEDDLE_EXPORT sighandler_t signal(int signal, sighandler_t handler) noexcept {
  return signals::signal_for(__builtin_return_address(0), signal, handler);
}

// signal() of programs that are compiled for the standard alone.
HEDDLE_EXPORT sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  return signals::sysv_signal_for(__builtin_return_address(0), signal, handler);
}

HEDDLE_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  const auto change = libc().pthread_sigmask;  // also a macro of BSD's
  if (!is_ult() || is_of_process(__builtin_return_address(0))) return change(how, set, old);
  return signals::change_mask(how, set, old);
}

HEDDLE_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (!is_ult() || is_of_process(__builtin_return_address(0)))
    return libc().sigprocmask(how, set, old);
  const int error = signals::change_mask(how, set, old);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

HEDDLE_EXPORT int raise(int signal) noexcept {
  if (!is_ult() || is_of_process(__builtin_return_address(0))) return libc().raise(signal);
  return signals::raise(signal);
}

HEDDLE_EXPORT int kill(pid_t process, int signal) noexcept {
  const bool own = process == getpid() && !is_libcs(__builtin_return_address(0));
  if (!own || signal <= 0 || !signals::is_valid(signal)) return libc().kill(process, signal);
  const bool here = is_ult() && (signals::strand_signals().blocked & signals::bit(signal)) == 0;
  return here ? signals::raise(signal, SI_USER)
              : signals::send_to_rank(signals::sent(signal, SI_USER));
}

HEDDLE_EXPORT int sigqueue(pid_t process, int signal, const union sigval value) noexcept {
  const bool own = process == getpid() && !is_libcs(__builtin_return_address(0));
  if (!own || signal <= 0 || !signals::is_valid(signal)) {
    return libc().sigqueue(process, signal, value);
  }
  siginfo_t info = signals::sent(signal, SI_QUEUE);
  info.si_value = value;
  return signals::send_to_rank(info);
}

HEDDLE_EXPORT int pthread_kill(pthread_t thread, int signal) noexcept {
  if (!is_ult() || is_of_process(__builtin_return_address(0)))
    return libc().pthread_kill(thread, signal);
  if (!pthread_equal(thread, pthread_self())) {
    if (!process::is_ult_thread(thread)) return libc().pthread_kill(thread, signal);
    if (signal == 0) return 0;
    return signals::is_valid(signal) ? signals::send_to_rank(signals::sent(signal, SI_TKILL))
                                     : EINVAL;
  }
  return signals::raise(signal) == 0 ? 0 : errno;
}

HEDDLE_EXPORT int pause() {
  if (!is_ult()) return libc().pause();
  return suspend_until_handler(signals::strand_signals().blocked);
}

HEDDLE_EXPORT int sigsuspend(const sigset_t* blocked) {
  if (!is_ult()) return libc().sigsuspend(blocked);
  return suspend_until_handler(signals::mask_of(*blocked));
}

HEDDLE_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  if (!is_ult()) return take_in_kernel(set, info, time);
  constexpr long kSecond = 1'000'000'000;
  const std::int64_t deadline_ns =
      time == nullptr ? platform::kNever
                      : platform::now_ns() + time->tv_sec * kSecond + time->tv_nsec;
  return take_until(set, deadline_ns, info);
}

HEDDLE_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!is_ult()) return take_in_kernel(set, info, nullptr);
  return take_until(set, platform::kNever, info);
}

HEDDLE_EXPORT int sigwait(const sigset_t* set, int* signal) {
  do {
    *signal = is_ult() ? take_until(set, platform::kNever, nullptr)
                       : take_in_kernel(set, nullptr, nullptr);
  } while (*signal < 0);
  return 0;
}

#include "signal_exports.inc"

#endif
