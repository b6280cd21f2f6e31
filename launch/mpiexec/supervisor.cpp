#include "launch/mpiexec/supervisor.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/platform/child_processes.h"
#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

// Returns what waitpid says of the supervisor.
int wait_for(pid_t supervisor, const Signals& signals) {
  const pid_t children[] = {supervisor};
  for (;;) {
    pollfd news = {.fd = signals.descriptor(), .events = POLLIN, .revents = 0};
    poll(&news, 1, -1);
    signalfd_siginfo signal;
    while (signals.next(&signal)) {
      if (signal.ssi_signo != SIGCHLD) {
        pass_on(signal, children, SIGTSTP);
        continue;
      }
      int status = 0;
      for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (ended == supervisor) return status;
      }
    }
  }
}

}  // namespace

bool become_supervisor(const Signals& signals, int* status) {
  platform::note_inherited_children();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = getpid();
  const pid_t supervisor = fork();
  if (supervisor < 0) throw Failure{1, std::string("cannot fork: ") + cause_of(errno)};
  if (supervisor == 0) {
    prctl(PR_SET_PDEATHSIG, Signals::parent_has_ended());
    if (getppid() != parent) _exit(1);
    platform::note_inherited_children();
    return true;
  }
  const int ended = wait_for(supervisor, signals);
  if (WIFSIGNALED(ended)) {
    platform::end_children();
    die_of(WTERMSIG(ended));
  }
  *status = WEXITSTATUS(ended);
  return false;
}

}  // namespace heddle::launch
