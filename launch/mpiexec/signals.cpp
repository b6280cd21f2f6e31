#include "launch/mpiexec/signals.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT,
                           SIGCHLD, parent_has_ended()}) {
    sigaddset(&set, signal);
  }
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    throw Failure{1, std::string("signals cannot be read: ") + cause_of(errno)};
  }
  sigprocmask(SIG_BLOCK, &set, &usual_);
}

Signals::~Signals() {
  close(descriptor_);
}

bool Signals::next(signalfd_siginfo* signal) const noexcept {
  return read(descriptor_, signal, sizeof *signal) == sizeof *signal;
}

void pass_on(const signalfd_siginfo& signal, std::span<const pid_t> children, int stop) noexcept {
  const int number = static_cast<int>(signal.ssi_signo);
  if (signal.ssi_code != SI_KERNEL) {  // else the terminal has sent it to them, too
    for (const pid_t child : children) {
      if (child != 0) kill(child, number == SIGTSTP ? stop : number);
    }
  }
  if (number == SIGTSTP) raise(SIGSTOP);
}

void die_of(int signal) noexcept {
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + signal);
}

}  // namespace heddle::launch
