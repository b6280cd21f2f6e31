/* Calls with a mask of signals of their own: each of these prints what it prints in a process.
 *
 *   masked_waits let-in    ppoll, pselect and epoll_pwait let in what their mask does not block, and only that
 *   masked_waits left      a handler leaves such a call by siglongjmp
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "signal_helpers.h"

static int blocks(int signal) {
  sigset_t now;
  sigprocmask(SIG_BLOCK, NULL, &now);
  return sigismember(&now, signal);
}

static void change(int how, int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(how, &set, NULL);
}

enum { kPpoll, kPselect, kEpollPwait, kMaskedCalls };
static const char* const kMaskedNames[] = {"ppoll", "pselect", "epoll_pwait"};

static int wait_masked(int call, int file, const struct timespec* time, const sigset_t* mask) {
  struct pollfd wanted = {file, POLLIN, 0};
  struct epoll_event event = {EPOLLIN, {0}};
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(file, &reads);
  if (call == kPpoll) return ppoll(&wanted, 1, time, mask);
  if (call == kPselect) return pselect(file + 1, &reads, NULL, NULL, time, mask);
  const int set = epoll_create1(0);
  epoll_ctl(set, EPOLL_CTL_ADD, file, &event);
  const int milliseconds = time == NULL ? -1 : (int)(time->tv_sec * 1000 + time->tv_nsec / 1000000);
  const int result = epoll_pwait(set, &event, 1, milliseconds, mask);
  const int error = errno;
  close(set);
  errno = error;
  return result;
}

static void tell_masked(const char* what, int result) {
  const int error = errno;
  printf(" %s %d %d, alarms %d, blocked %d %d\n", what, result, result < 0 && error == EINTR,
         (int)seen, blocks(SIGALRM), blocks(SIGUSR1));
}

static volatile int blocked_in_handler;
static void look_at_masks(int signal) {
  blocked_in_handler = 2 * blocks(SIGALRM) + blocks(SIGUSR1);
  count(signal);
}

static void use_let_in(void) {
  int ends[2];
  char byte;
  sigset_t none, alarms, users;
  const struct timespec at_once = {0, 0}, short_time = {0, 300000000};
  if (pipe(ends) != 0) return;
  sigemptyset(&none);
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigemptyset(&users);
  sigaddset(&users, SIGUSR1);
  for (int call = 0; call < kMaskedCalls; ++call) {
    puts(kMaskedNames[call]);
    seen = 0;
    set(SIGALRM, look_at_masks, call == kPselect ? SA_RESTART : 0);
    set(SIGUSR1, count, 0);
    change(SIG_BLOCK, SIGALRM);
    change(SIG_UNBLOCK, SIGUSR1);
    raise(SIGALRM);
    tell_masked("pending", wait_masked(call, ends[0], NULL, &users));
    printf(" in the handler %d\n", blocked_in_handler);
    raise(SIGALRM);
    if (call != kEpollPwait)
      tell_masked("pending, no time", wait_masked(call, ends[0], &at_once, &none));
    tell_masked("still blocked", wait_masked(call, ends[0], &at_once, NULL));
    soon();
    tell_masked("comes", wait_masked(call, ends[0], NULL, &none));
    raise(SIGUSR1);
    change(SIG_UNBLOCK, SIGALRM);
    soon();
    const int kept_out = wait_masked(call, ends[0], &short_time, &alarms);
    while (seen < (call == kEpollPwait ? 4 : 5)) usleep(1000);
    tell_masked("kept out", kept_out);
    /* What is ready comes first. The handler runs when the signal is let in for good. */
    change(SIG_BLOCK, SIGALRM);
    if (write(ends[1], "x", 1) != 1) return;
    raise(SIGALRM);
    tell_masked("ready", wait_masked(call, ends[0], NULL, &none));
    change(SIG_UNBLOCK, SIGALRM);
    tell_masked("let in", 0);
    if (read(ends[0], &byte, 1) != 1) return;
  }
}

static sigjmp_buf out_of_wait;
static void leave_wait(int signal) {
  count(signal);
  siglongjmp(out_of_wait, 1);
}

/* A handler leaves such a call by siglongjmp: the mask is what sigsetjmp has saved. */
static void use_left(void) {
  int ends[2];
  sigset_t none;
  if (pipe(ends) != 0) return;
  sigemptyset(&none);
  set(SIGALRM, leave_wait, 0);
  change(SIG_BLOCK, SIGALRM);
  for (volatile int i = 0; i < 3 * kMaskedCalls; ++i) {
    if (sigsetjmp(out_of_wait, 1) == 0) {
      soon();
      wait_masked(i % kMaskedCalls, ends[0], NULL, &none);
    }
    printf("left %d, blocked %d\n", (int)seen, blocks(SIGALRM));
  }
}

static const Use kUses[] = {{"let-in", use_let_in}, {"left", use_left}};

int main(int argc, char** argv) {
  return run_use(argc, argv, kUses, sizeof kUses / sizeof kUses[0]);
}
