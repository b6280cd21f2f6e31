/* Signals from outside that a rank blocks or waits for: each of these prints what it prints in a process of its own.
 *
 *   awaited_signals main     main takes a blocked signal by sigwaitinfo, sigtimedwait and sigwait
 *   awaited_signals thread   a thread takes it while main waits for the thread
 *   awaited_signals several  two threads take a signal each
 *   awaited_signals pending  a blocked signal stays pending until a handler takes it
 *   awaited_signals broken   a write to a pipe without a reader leaves SIGPIPE pending
 *   awaited_signals ended    the end of a child is taken by sigwait
 *   awaited_signals ignored  what the process ignores its children ignore, too, after the rank has blocked all signals
 *
 * This one takes two ranks: one, only rank 0 blocks the signal. And these end the job: unblocked, left.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "signal_helpers.h"

enum { kTurns = 40 };

static sigset_t set_of_one(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

static void change(int how, int signal) {
  const sigset_t set = set_of_one(signal);
  pthread_sigmask(how, &set, NULL);
}

static int is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal);
}

/* Ranks may share a process. Then each gets the signals of all of their children. */
static pid_t send(int signal) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(kill(getppid(), signal));
  return child;
}

static int has_ended(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) != child) continue;
  return status == 0;
}

static void use_main(void) {
  const sigset_t set = set_of_one(SIGUSR1);
  const struct timespec long_time = {1000, 0};
  int times[3] = {0, 0, 0};
  change(SIG_BLOCK, SIGUSR1);
  meet();
  for (int i = 0; i < kTurns; ++i) {
    siginfo_t info;
    int signal = 0;
    const pid_t child = send(SIGUSR1);
    memset(&info, 0, sizeof info);
    if (i % 3 == 0)
      sigwait(&set, &signal);
    else
      signal = i % 3 == 1 ? sigwaitinfo(&set, &info) : sigtimedwait(&set, &info, &long_time);
    times[i % 3] +=
        signal == SIGUSR1 && (i % 3 == 0 || (info.si_code == SI_USER && info.si_pid != getpid()));
    if (!has_ended(child)) puts("not sent");
  }
  printf("took %d %d %d\n", times[0], times[1], times[2]);
  meet();
}

static void* take(void* signal) {
  const sigset_t set = set_of_one(*(int*)signal);
  int taken = 0;
  for (int i = 0; i < kTurns; ++i) {
    const pid_t child = send(*(int*)signal);
    int got = 0;
    sigwait(&set, &got);
    taken += got == *(int*)signal;
    if (!has_ended(child)) puts("not sent");
  }
  printf("a thread took %d\n", taken);
  return NULL;
}

static void use_thread(void) {
  pthread_t thread;
  int signal = SIGTERM;
  change(SIG_BLOCK, SIGTERM);
  meet();
  pthread_create(&thread, NULL, take, &signal);
  pthread_join(thread, NULL);
  meet();
}

static void use_several(void) {
  pthread_t threads[2];
  int signals[2] = {SIGUSR2, SIGRTMIN + 1};
  for (int i = 0; i < 2; ++i) change(SIG_BLOCK, signals[i]);
  meet();
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take, &signals[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  meet();
}

static void use_pending(void) {
  change(SIG_BLOCK, SIGUSR1);
  meet();
  for (int i = 0; i < kTurns; ++i) {
    const pid_t child = send(SIGUSR1);
    while (!is_pending(SIGUSR1)) usleep(100);
    const int before = seen;
    set(SIGUSR1, count, 0);
    change(SIG_UNBLOCK, SIGUSR1);
    if (seen == before) puts("not handled");
    change(SIG_BLOCK, SIGUSR1);
    set(SIGUSR1, SIG_DFL, 0);
    if (!has_ended(child)) puts("not sent");
  }
  printf("handled %d\n", seen >= kTurns);
  meet();
}

static void use_broken(void) {
  const sigset_t set = set_of_one(SIGPIPE);
  const struct timespec now = {0, 0};
  int ends[2];
  change(SIG_BLOCK, SIGPIPE);
  if (pipe(ends) != 0) return;
  close(ends[0]);
  const int result = (int)write(ends[1], "x", 1);
  tell("write", result, errno == EPIPE);
  printf("pending %d", is_pending(SIGPIPE));
  printf(", took %d", sigtimedwait(&set, NULL, &now) == SIGPIPE);
  printf(", pending %d\n", is_pending(SIGPIPE));
}

static void use_ended(void) {
  const sigset_t set = set_of_one(SIGCHLD);
  int got = 0, status = 0, ends[2];
  char byte;
  if (pipe(ends) != 0) return;
  change(SIG_BLOCK, SIGCHLD);
  meet();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(read(ends[0], &byte, 1) == 1 ? 3 : 4);
  if (write(ends[1], "x", 1) != 1) return;
  do {
    sigwait(&set, &got);
  } while (got == SIGCHLD && waitpid(child, &status, WNOHANG) == 0);
  printf("%d, child %d\n", got == SIGCHLD, WEXITSTATUS(status));
  meet();
}

static void use_ignored(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  fflush(stdout);
  if (system("kill -USR2 $$; echo lives") != 0) puts("did not ignore it");
  meet();
}

static void use_one(void) {
  const sigset_t set = set_of_one(SIGUSR1);
  int got = 0;
  if (rank == 0) {
    change(SIG_BLOCK, SIGUSR1);
    const pid_t child = send(SIGUSR1);
    sigwait(&set, &got);
    printf("took %d, sent %d\n", got == SIGUSR1, has_ended(child));
  }
  meet();
}

/* The job ends in each of these. */
static void use_unblocked(void) {
  change(SIG_BLOCK, SIGUSR1);
  meet();
  if (rank == 0) send(SIGUSR1);
  while (rank == 0 && !is_pending(SIGUSR1)) usleep(100);
  if (rank == 0) puts("pending");
  fflush(stdout);
  if (rank == 0) change(SIG_UNBLOCK, SIGUSR1);
  for (;;) pause();
}
static void use_left(void) {
  change(SIG_BLOCK, SIGUSR1);
  change(SIG_UNBLOCK, SIGUSR1);
  meet();
  if (rank == 0) send(SIGUSR1);
  for (;;) pause();
}

static const Use kUses[] = {{"main", use_main},       {"thread", use_thread},
                            {"several", use_several}, {"pending", use_pending},
                            {"broken", use_broken},   {"ended", use_ended},
                            {"ignored", use_ignored}, {"one", use_one},
                            {"left", use_left},       {"unblocked", use_unblocked}};

int main(int argc, char** argv) {
  return run_use(argc, argv, kUses, sizeof kUses / sizeof kUses[0]);
}
