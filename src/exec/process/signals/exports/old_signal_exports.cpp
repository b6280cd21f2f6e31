// Signals by the interfaces of older standards: System V's sigset and sighold, BSD's sigblock. Of a
// hosted rank they change its own actions and masks, as sigaction and sigprocmask do.
// Not under sanitizers, see signal_exports.cpp.

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

#include <signal.h>

#include <cerrno>

#include "exec/process/exports/libc.h"
#include "exec/process/exports/own_code.h"
#include "exec/process/signals/exports/callers.h"
#include "exec/process/signals/signals.h"

using namespace heddle;
namespace signals = heddle::process::signals;
using signals::is_ult;
using signals::Mask;
using signals::sigaction_for;

namespace {

// BSD's masks are an int.
constexpr Mask kOfInt = 0xffffffff;
int as_int(Mask mask) noexcept {
  return static_cast<int>(mask & kOfInt);
}
Mask of_int(int mask) noexcept {
  return static_cast<unsigned>(mask);
}

// Returns the mask before.
Mask change(int how, Mask mask) noexcept {
  const sigset_t set = signals::set_of(mask);
  sigset_t before = {};
  if (is_ult()) {
    signals::change_mask(how, &set, &before);
  } else {
    libc().pthread_sigmask(how, &set, &before);
  }
  return signals::mask_of(before);
}

bool refuses(int signal) noexcept {
  if (signal > 0 && signals::is_valid(signal)) return false;
  errno = EINVAL;
  return true;
}

int change_one(int how, int signal) noexcept {
  if (refuses(signal)) return -1;
  change(how, signals::bit(signal));
  return 0;
}

int suspend(Mask blocked) {
  if (is_ult()) return signals::suspend_until_handler(blocked);
  const sigset_t set = signals::set_of(blocked);
  return libc().sigsuspend(&set);
}

}  // namespace

HEDDLE_EXPORT int sigignore(int signal) noexcept {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  return sigaction_for(__builtin_return_address(0), signal, &action, nullptr);
}

HEDDLE_EXPORT sighandler_t sigset(int signal, sighandler_t disposition) noexcept {
  if (refuses(signal)) return SIG_ERR;
  const void* const caller = __builtin_return_address(0);
  const Mask it = signals::bit(signal);
  struct sigaction old = {};
  if (disposition == SIG_HOLD) {
    const bool was_held = (change(SIG_BLOCK, it) & it) != 0;
    if (was_held) return SIG_HOLD;
    return sigaction_for(caller, signal, nullptr, &old) == 0 ? old.sa_handler : SIG_ERR;
  }
  struct sigaction action = {};
  action.sa_handler = disposition;
  if (disposition == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  if (sigaction_for(caller, signal, &action, &old) != 0) return SIG_ERR;
  const bool was_held = (change(SIG_UNBLOCK, it) & it) != 0;
  return was_held ? SIG_HOLD : old.sa_handler;
}

// X/Open's, which takes a signal: <signal.h> gives it the name __xpg_sigpause.
HEDDLE_EXPORT int sigpause(int signal) {
  if (refuses(signal)) return -1;
  return suspend(change(SIG_BLOCK, 0) & ~signals::bit(signal));
}

// BSD's sigpause, which takes a mask.
extern "C" int bsd_sigpause(int mask) asm("sigpause");
HEDDLE_EXPORT int bsd_sigpause(int mask) {
  return suspend(of_int(mask));
}

HEDDLE_EXPORT int siginterrupt(int signal, int interrupts) noexcept {
  const void* const caller = __builtin_return_address(0);
  struct sigaction action = {};
  if (sigaction_for(caller, signal, nullptr, &action) != 0) return -1;
  action.sa_flags &= ~SA_RESTART;
  if (interrupts == 0) action.sa_flags |= SA_RESTART;
  return sigaction_for(caller, signal, &action, nullptr);
}

// <signal.h> has it for the oldest of X/Open's standards only.
HEDDLE_EXPORT sighandler_t bsd_signal(int signal, sighandler_t handler) noexcept {
  return signals::signal_for(__builtin_return_address(0), signal, handler);
}

#include "old_signal_exports.inc"

#endif
