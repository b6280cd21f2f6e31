// signals.h — the signals that mpiexec waits for where it stays as the parent of processes: the end
// of a child, and what it passes on.
//
//   SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2   to the children, unless the terminal has
//                                                        sent them to all
//   SIGTSTP                                              stops the children likewise, then mpiexec;
//                                                        SIGCONT lets all go on
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include <span>

namespace heddle::launch {

class Signals {
 public:
  // The signals are blocked from now on, and wait here.
  Signals();
  ~Signals();
  Signals(Signals&&) = delete;

  // Readable while next() would find one.
  int descriptor() const noexcept { return descriptor_; }
  bool next(signalfd_siginfo* signal) const noexcept;

  // Blocked before.
  const sigset_t& usual_mask() const noexcept { return usual_; }

  // That a child sends itself if its parent has ended; see supervisor.h.
  static int parent_has_ended() noexcept { return SIGRTMIN; }

 private:
  sigset_t usual_;
  int descriptor_ = -1;
};

// Passes the signal on to processes that are children; 0 is none. `stop`: what stops a child.
void pass_on(const signalfd_siginfo& signal, std::span<const pid_t> children, int stop) noexcept;

// Dies of it, as if it had never been blocked.
[[noreturn]] void die_of(int signal) noexcept;

}  // namespace heddle::launch
