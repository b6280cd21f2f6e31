/* Signals by the interfaces of System V and BSD, each rank with its own. With -DPLAIN a program without MPI, whose output is the oracle. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#ifndef PLAIN
#include <mpi.h>
#endif

int bsd_sigpause(int mask) __asm__("sigpause");
int xpg_sigpause(int signal) __asm__("__xpg_sigpause");

static volatile int handled, others;
static void count(int signal) {
  if (signal == SIGUSR1) ++handled;
  if (signal != SIGUSR1) ++others;
}
static const char* name(sighandler_t handler) {
  return handler == SIG_DFL    ? "default"
         : handler == SIG_IGN  ? "ignored"
         : handler == SIG_HOLD ? "held"
         : handler == SIG_ERR  ? "error"
         : handler == count    ? "count"
                               : "another";
}
static int is_pending(int signal) {
  sigset_t set;
  sigpending(&set);
  return sigismember(&set, signal);
}
static int is_blocked(int signal) {
  sigset_t set;
  sigprocmask(SIG_BLOCK, NULL, &set);
  return sigismember(&set, signal);
}
static void say(const char* what, long result) {
  printf("%s: %ld, handled %d and %d, pending %d, blocked %d\n", what, result, handled, others,
         is_pending(SIGUSR1), is_blocked(SIGUSR1));
}
static void say_handler(const char* what, sighandler_t before) {
  printf("%s: was %s, handled %d and %d, blocked %d\n", what, name(before), handled, others,
         is_blocked(SIGUSR1));
}
static void say_error(const char* what, int result) {
  printf("%s: %d, %s\n", what, result, strerror(errno));
  errno = 0;
}
static void say_mask(const char* what, int before) {
  printf("%s: was %x, is %x\n", what, before, siggetmask());
}
static void alarm_soon(void) {
  const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  setitimer(ITIMER_REAL, &soon, NULL);
}
static int restarts(int signal) {
  struct sigaction action;
  sigaction(signal, NULL, &action);
  return (action.sa_flags & SA_RESTART) != 0;
}

static void system_v(void) {
  say_handler("sigset", sigset(SIGUSR1, count));
  say("raise", raise(SIGUSR1));
  say("sighold", sighold(SIGUSR1));
  say("raise while held", raise(SIGUSR1));
  say("sigrelse", sigrelse(SIGUSR1));
  say_handler("sigset to held", sigset(SIGUSR1, SIG_HOLD));
  say("raise while held", raise(SIGUSR1));
  say_handler("sigset to held again", sigset(SIGUSR1, SIG_HOLD));
  say_handler("sigset from held", sigset(SIGUSR1, count));
  say("sigignore", sigignore(SIGUSR1));
  say("raise while ignored", raise(SIGUSR1));
  say_handler("sigset from ignored", sigset(SIGUSR1, count));
  say_error("sighold of no signal", sighold(1000));
  say_error("sigrelse of no signal", sigrelse(-1));
  say_error("sigset of SIGKILL", sigset(SIGKILL, count) == SIG_ERR);
  sigset_t set;
  siginfo_t info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sighold(SIGUSR1);
  raise(SIGUSR1);
  printf("taken: %d\n", sigwaitinfo(&set, &info) == SIGUSR1);
  printf("by kill() or raise(): %d\n", info.si_code == SI_USER);
  sigrelse(SIGUSR1);
  sigset(SIGALRM, count);
  sighold(SIGALRM);
  alarm_soon();
  say_error("sigpause", xpg_sigpause(SIGALRM));
  printf("alarm blocked: %d\n", is_blocked(SIGALRM));
  say("after sigpause", 0);
  sigrelse(SIGALRM);
}

static void bsd(void) {
  say_mask("sigblock", sigblock(sigmask(SIGUSR1)));
  say("raise while blocked", raise(SIGUSR1));
  say_mask("sigblock", sigblock(sigmask(SIGUSR2)));
  say_mask("sigsetmask", sigsetmask(sigmask(SIGALRM)));
  say("after sigsetmask", 0);
  alarm_soon();
  errno = 0;
  say_error("sigpause", bsd_sigpause(0));
  say_mask("sigsetmask", sigsetmask(0));
  say_handler("ssignal", ssignal(SIGUSR1, count));
  say("restarts", restarts(SIGUSR1));
  say("siginterrupt", siginterrupt(SIGUSR1, 1));
  say("restarts", restarts(SIGUSR1));
  say("siginterrupt", siginterrupt(SIGUSR1, 0));
  say("restarts", restarts(SIGUSR1));
  say("gsignal", gsignal(SIGUSR1));
  say_handler("sysv_signal", sysv_signal(SIGUSR1, count));
  say("gsignal", gsignal(SIGUSR1));
  say_handler("after it", signal(SIGUSR1, SIG_IGN));
}

int main(int argc, char** argv) {
#ifndef PLAIN
  MPI_Init(&argc, &argv);
#endif
  system_v();
  bsd();
#ifndef PLAIN
  MPI_Finalize();
#endif
  return argc == 0 || argv == NULL;
}
