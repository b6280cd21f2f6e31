/* Signals of a rank as of a process: each of these prints what it prints in a process of its own.
 *
 *   signals raise      its own handler, its own arguments, what the handler blocks
 *   signals faults     leaves a handler for SIGSEGV and SIGFPE by siglongjmp, many times
 *   signals repairs    a handler for SIGSEGV makes the page writable and returns
 *   signals stack      a stack overflow is told on an alternate stack
 *   signals masks      what is blocked waits; a mask is the rank's own
 *   signals actions    what was set is told; SA_RESETHAND, SA_NODEFER, SIG_IGN
 *   signals alarm      alarm ends pause, sleep, read, nanosleep, sigsuspend; shortens them
 *   signals timer      setitimer counts while the rank computes
 *   signals wait       sigwait takes what kill has sent
 *   signals threads    handlers are the rank's, masks the threads'
 *   signals child      a child of fork has the rank's handlers, and its mask, also after a handler that forks
 *   signals outside    another process may send any signal that the rank handles
 *   signals nested     a handler that sleeps while others run
 *   signals locks      a handler ends a wait for a lock of a file, or for a child, unless it restarts calls
 *   signals jumps      a handler leaves a read that would never end by siglongjmp
 *
 * And these end the job: unhandled, other, blocked, twice, overflow.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "signal_helpers.h"

enum { kTimes = 50 };

static sigjmp_buf before;

static int blocks(int signal) {
  sigset_t now;
  sigprocmask(SIG_BLOCK, NULL, &now);
  return sigismember(&now, signal);
}

static void change(int how, int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(how, &set, NULL);
}

static void count_and_tell(int signal) {
  printf("handler blocks %d %d\n", blocks(signal), blocks(SIGUSR2));
  count(signal);
}
static void with_info(int signal, siginfo_t* info, void* context) {
  printf("info %d %d %d\n", info->si_signo == signal, info->si_pid == getpid(), context != NULL);
  ++seen;
}

static void use_raise(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  set(SIGUSR1, count_and_tell, 0);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR1);
  pthread_kill(pthread_self(), SIGUSR1);
  printf("%d, blocked afterwards %d\n", (int)seen, blocks(SIGUSR1));
  action.sa_sigaction = with_info;
  action.sa_flags = SA_SIGINFO;
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR2, &action, NULL);
  raise(SIGUSR2);
  printf("%d\n", (int)seen);
}

static void tell_sender(int signal, siginfo_t* info, void* context) {
  printf("%d by kill %d, by raise %d, own %d %d\n", signal == info->si_signo,
         info->si_code == SI_USER, info->si_code == SI_TKILL, info->si_pid == getpid(),
         info->si_uid == getuid());
}

static void use_sender(void) {
  struct sigaction action;
  sigset_t set;
  siginfo_t info;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = tell_sender;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR1);
  change(SIG_BLOCK, SIGUSR1);
  kill(getpid(), SIGUSR1);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  if (sigwaitinfo(&set, &info) == SIGUSR1) tell_sender(SIGUSR1, &info, NULL);
  kill(getpid(), SIGUSR1);
  change(SIG_UNBLOCK, SIGUSR1);
}

static void leave(int signal) {
  last = signal;
  siglongjmp(before, 1 + rank);
}

static int divide(volatile int by) {
  return 7 / by;
}

static void use_faults(void) {
  volatile int left = 0;
  set(SIGSEGV, leave, 0);
  set(SIGFPE, leave, 0);
  for (volatile int i = 0; i < kTimes; ++i) {
    if (sigsetjmp(before, 1) == 1 + rank) {
      left += last == (i % 2 ? SIGFPE : SIGSEGV);
      continue;
    }
    if (i % 5 == 0) meet();
    if (i % 2) left += divide(0);
    *(volatile int*)(long)(8 + rank) = 1;
  }
  printf("left %d, blocked %d %d\n", left, blocks(SIGSEGV), blocks(SIGFPE));
}

static char* page;
static void repair(int signal, siginfo_t* info, void* context) {
  (void)context;
  if ((char*)info->si_addr != page + 5 || signal != SIGSEGV) _exit(9);
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  ++seen;
}

static void use_repairs(void) {
  struct sigaction action;
  double sum = 0;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = repair;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < kTimes; ++i) {
    mprotect(page, 4096, PROT_READ);
    sum += 0.5 * i;
    page[5] = (char)i;
    sum += page[5];
    meet();
  }
  printf("repaired %d, %g\n", (int)seen, sum);
}

static int dive(volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  return dive(here) + here[1];
}

static void use_stack(void) {
  char first = 1;
  stack_t stack = {malloc(65536), 0, 65536}, old;
  printf("%d ", sigaltstack(&stack, NULL));
  sigaltstack(NULL, &old);
  printf("%d\n", old.ss_sp == stack.ss_sp);
  stack.ss_flags = SS_DISABLE | SS_ONSTACK;
  printf("refused %d", sigaltstack(&stack, NULL));
  printf(" %d\n", errno == EINVAL);
  set(SIGSEGV, leave, SA_ONSTACK);
  for (volatile int i = 0; i < 3; ++i)
    if (sigsetjmp(before, 1) == 0) printf("%d\n", dive(&first));
  printf("back, %d\n", last == SIGSEGV);
}

static void use_masks(void) {
  sigset_t pending;
  set(SIGUSR1, count, 0);
  if (rank % 2 == 0) change(SIG_BLOCK, SIGUSR1);
  meet();
  printf("own mask %d\n", blocks(SIGUSR1) == (rank % 2 == 0));
  change(SIG_BLOCK, SIGUSR1);
  raise(SIGUSR1);
  raise(SIGUSR1);
  sigpending(&pending);
  printf("%d pending %d\n", (int)seen, sigismember(&pending, SIGUSR1));
  meet();
  change(SIG_UNBLOCK, SIGUSR1);
  sigpending(&pending);
  printf("%d pending %d\n", (int)seen, sigismember(&pending, SIGUSR1));
  /* one without an action, which is ignored by default */
  change(SIG_BLOCK, SIGCONT);
  raise(SIGCONT);
  sigpending(&pending);
  printf("ignored, pending %d", sigismember(&pending, SIGCONT));
  change(SIG_UNBLOCK, SIGCONT);
  sigpending(&pending);
  printf(" %d\n", sigismember(&pending, SIGCONT));
}

static void again(int signal) {
  if (++seen % 3 != 0) raise(signal);
}

static void use_actions(void) {
  struct sigaction old;
  printf("%d ", signal(SIGUSR1, count) == SIG_DFL);
  printf("%d ", signal(SIGUSR1, SIG_IGN) == count);
  raise(SIGUSR1);
  printf("%d\n", (int)seen);
  set(SIGUSR2, count, (int)SA_RESETHAND);
  raise(SIGUSR2);
  sigaction(SIGUSR2, NULL, &old);
  printf("%d %d\n", (int)seen, old.sa_handler == SIG_DFL);
  seen = 0;
  set(SIGUSR2, again, SA_NODEFER);
  raise(SIGUSR2);
  printf("nested %d\n", (int)seen);
  raise(SIGCHLD);
  raise(SIGURG);
  set(SIGURG, count, 0);
  raise(SIGURG);
  printf("%d, invalid %d\n", (int)seen, sigaction(SIGKILL, &old, NULL));
}

static int took(const struct timespec* since, double least, double most) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds =
      (double)(now.tv_sec - since->tv_sec) + 1e-9 * (double)(now.tv_nsec - since->tv_nsec);
  return seconds >= least && seconds < most;
}

static void use_alarm(void) {
  int ends[2];
  char byte;
  sigset_t none;
  struct timespec since, long_time = {100, 0}, rest = {0, 0};
  sigemptyset(&none);
  if (pipe(ends) != 0) return;
  set(SIGALRM, count, 0);
  clock_gettime(CLOCK_MONOTONIC, &since);
  soon();
  int result = pause();
  tell("pause", result, errno == EINTR);
  soon();
  const unsigned left = sleep(100);
  printf("sleep %d %d\n", left >= 50, left < 100);
  soon();
  result = nanosleep(&long_time, &rest);
  tell("nanosleep", result, errno == EINTR && rest.tv_sec >= 50);
  soon();
  result = (int)read(ends[0], &byte, 1);
  tell("read", result, errno == EINTR);
  change(SIG_BLOCK, SIGALRM);
  soon();
  result = sigsuspend(&none);
  tell("sigsuspend", result, errno == EINTR);
  change(SIG_UNBLOCK, SIGALRM);
  printf("alarms %d, left %d\n", (int)seen, alarm(77) != 0);
  printf("then %d, in time %d\n", alarm(0) > 50, took(&since, 0.5, 90));
}

static void use_timer(void) {
  const struct itimerval ticks = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
  set(SIGALRM, count, SA_RESTART);
  meet();
  if (rank == 0) setitimer(ITIMER_REAL, &ticks, NULL);
  while (rank == 0 && seen < 5) continue;
  setitimer(ITIMER_REAL, &never, NULL);
  const int mine = seen;
  meet();
  printf("%d\n", rank == 0 ? mine >= 5 : mine == 0);
}

static void use_wait(void) {
  sigset_t set;
  int signal = 0;
  siginfo_t info;
  const struct timespec short_time = {0, 1000000};
  const union sigval value = {.sival_int = 42};
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGUSR2);
  printf("%d ", sigwait(&set, &signal));
  printf("%d\n", signal == SIGUSR2);
  const int none = sigtimedwait(&set, &info, &short_time);
  tell("nothing", none, errno == EAGAIN);
  sigqueue(getpid(), SIGUSR1, value);
  signal = sigwaitinfo(&set, &info);
  tell("queued", signal == SIGUSR1, info.si_value.sival_int);
}

static void* as_thread(void* unused) {
  printf("inherited %d %d\n", blocks(SIGUSR1), blocks(SIGUSR2));
  change(SIG_UNBLOCK, SIGUSR2);
  raise(SIGUSR2);
  change(SIG_BLOCK, SIGTERM);
  return unused;
}

static void use_threads(void) {
  pthread_t thread;
  set(SIGUSR2, count, 0);
  change(SIG_BLOCK, SIGUSR2);
  pthread_create(&thread, NULL, as_thread, NULL);
  pthread_join(thread, NULL);
  printf("%d, main blocks %d %d\n", (int)seen, blocks(SIGUSR2), blocks(SIGTERM));
}

static pid_t made;
static void make_child(int signal) {
  (void)signal;
  made = fork();
}

static void use_child(void) {
  int status = 0;
  set(SIGUSR1, count, 0);
  change(SIG_BLOCK, SIGUSR2);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGUSR1);
    alarm(0);
    _exit(seen == 1 && blocks(SIGUSR2) ? 5 : 6);
  }
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
  set(SIGTERM, make_child, 0);
  raise(SIGTERM);
  if (made == 0) {
    raise(SIGUSR2);
    _exit(blocks(SIGUSR2) && !blocks(SIGTERM) ? 7 : 8);
  }
  waitpid(made, &status, 0);
  printf("child of a handler %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
}

static volatile sig_atomic_t seen_of[65];
static void count_each(int signal) {
  ++seen_of[signal];
}

static void use_outside(void) {
  const int sent[] = {SIGABRT, SIGPIPE, SIGUSR1};
  for (unsigned i = 0; i < sizeof sent / sizeof sent[0]; ++i) {
    set(sent[i], count_each, 0);
    meet(); /* a signal for the process is each rank's */
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(kill(getppid(), sent[i]));
    while (seen_of[sent[i]] == 0) usleep(1000);
    printf("signal %d came\n", sent[i]);
    while (waitpid(child, NULL, 0) != child) continue;
    meet();
  }
}

static void sleep_in_handler(int signal) {
  const struct timespec short_time = {0, 20000000};
  nanosleep(&short_time, NULL);
  count(signal);
}

static void use_nested(void) {
  set(SIGUSR1, sleep_in_handler, 0);
  set(SIGSEGV, leave, 0);
  for (volatile int i = 0; i < 5; ++i) {
    raise(SIGUSR1);
    if (sigsetjmp(before, 1) == 0) *(volatile int*)8 = 1;
    meet();
  }
  printf("%d %d\n", (int)seen, last == SIGSEGV);
}

static void use_jumps(void) {
  int ends[2];
  char byte;
  volatile int left = 0;
  if (pipe(ends) != 0) return;
  set(SIGALRM, leave, SA_RESTART);
  for (volatile int i = 0; i < 5; ++i) {
    meet();
    if (sigsetjmp(before, 1) == 0) {
      soon();
      left += 100 * (int)read(ends[0], &byte, 1);
    } else {
      ++left;
    }
  }
  printf("left %d\n", left);
}

/* A child holds both kinds of lock until it is told to end. */
static int tells_child;
static void end_child(int signal) {
  count(signal);
  if (write(tells_child, "x", 1) != 1) _exit(8);
}

static void use_locks(void) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int told[2], ends[2], status = -1;
  char name[32], byte;
  snprintf(name, sizeof name, "signals.lock.%d", rank);
  const int file = open(name, O_RDWR | O_CREAT, 0600);
  if (pipe(told) != 0 || pipe(ends) != 0) return;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int own = open(name, O_RDWR);
    if (fcntl(own, F_SETLK, &all) != 0 || flock(own, LOCK_EX) != 0) _exit(1);
    _exit(write(told[1], "x", 1) == 1 && read(ends[0], &byte, 1) == 1 ? 7 : 2);
  }
  tells_child = ends[1];
  if (read(told[0], &byte, 1) != 1) return;
  set(SIGALRM, count, 0);
  soon();
  int result = fcntl(file, F_SETLKW, &all);
  tell("fcntl", result, errno == EINTR);
  soon();
  result = flock(file, LOCK_EX);
  tell("flock", result, errno == EINTR);
  soon();
  result = (int)wait(&status);
  tell("wait", result, errno == EINTR);
  printf("alarms %d\n", (int)seen);
  set(SIGALRM, end_child, SA_RESTART);
  soon();
  result = fcntl(file, F_SETLKW, &all);
  tell("fcntl restarts", result, (int)seen);
  printf("child %d", wait(&status) == child);
  printf(" %d\n", WEXITSTATUS(status));
}

/* The job ends in each of these. */
static void fault(void) {
  *(volatile int*)8 = 1;
}
static void use_unhandled(void) {
  set(SIGALRM, rank == 0 ? count : SIG_DFL, 0);
  meet();
  if (rank == 1) soon();
  while (rank == 1) continue;
  for (;;) pause();
}
static void use_other(void) {
  if (rank == 0) set(SIGSEGV, leave, 0);
  meet();
  if (rank == 1) fault();
  meet();
}
static void use_blocked(void) {
  set(SIGSEGV, leave, 0);
  change(SIG_BLOCK, SIGSEGV);
  if (sigsetjmp(before, 1) == 0) fault();
}
static void fault_again(int signal) {
  (void)signal;
  fault();
}
static void use_twice(void) {
  set(SIGSEGV, fault_again, 0);
  fault();
}
static void use_overflow(void) {
  char first = 1;
  set(SIGSEGV, leave, 0);
  if (sigsetjmp(before, 1) == 0) printf("%d\n", dive(&first));
}

static const Use kUses[] = {
    {"raise", use_raise},         {"faults", use_faults},     {"repairs", use_repairs},
    {"sender", use_sender},       {"stack", use_stack},       {"masks", use_masks},
    {"actions", use_actions},     {"alarm", use_alarm},       {"timer", use_timer},
    {"wait", use_wait},           {"threads", use_threads},   {"child", use_child},
    {"outside", use_outside},     {"nested", use_nested},     {"jumps", use_jumps},
    {"unhandled", use_unhandled}, {"other", use_other},       {"blocked", use_blocked},
    {"twice", use_twice},         {"overflow", use_overflow}, {"locks", use_locks},
};

int main(int argc, char** argv) {
  return run_use(argc, argv, kUses, sizeof kUses / sizeof kUses[0]);
}
