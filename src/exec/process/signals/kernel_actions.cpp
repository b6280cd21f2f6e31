#include "exec/process/signals/kernel_actions.h"

#include <array>
#include <atomic>

#include "base/mutex.h"
#include "base/platform/foreign.h"
#include "exec/process/signals/pending.h"

namespace heddle::process::signals {

namespace {

struct Taken {
  std::atomic<bool> is_ours{false};
  struct sigaction before = {};  // constant once is_ours
};
constinit std::array<Taken, kSignals + 1> taken{};
Taken& taken_of(int signal) noexcept {
  return taken[static_cast<std::size_t>(signal)];
}

// Lock: guards which signals have our handler; held across `sigaction(2)`.
constinit Mutex taking_over;

}  // namespace

int take_over(int signal, void (*ours)(int, siginfo_t*, void*)) noexcept {
  const MutexGuard lock(taking_over);
  Taken& it = taken_of(signal);
  if (it.is_ours) return 0;
  // Before the handler is ours, which looks at it.
  if (::sigaction(signal, nullptr, &it.before) != 0) return -1;
  struct sigaction action = {};
  action.sa_sigaction = ours;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&action.sa_mask);
  if (::sigaction(signal, &action, nullptr) != 0) return -1;
  it.is_ours = true;
  platform::note_own_handler(signal);
  return 0;
}

void share_with_scheduler(int signal) noexcept {
  taken_of(signal).is_ours = true;
}

const struct sigaction& action_before(int signal) noexcept {
  return taken_of(signal).before;
}

bool was_ignored(int signal) noexcept {
  const Taken& it = taken_of(signal);
  if (it.is_ours) return it.before.sa_handler == SIG_IGN;
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void give_back(int signal, const struct sigaction* own) noexcept {
  const Taken& it = taken_of(signal);
  if (it.is_ours) ::sigaction(signal, own != nullptr ? own : &it.before, nullptr);
}

Default default_of(int signal) noexcept {
  switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
      return Default::kIgnore;
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      return Default::kStop;
    default:
      return Default::kEnd;
  }
}

}  // namespace heddle::process::signals
