/* Timers of a rank: each has its own, and its signals reach it alone. One use a call; each rank prints what the
 * program prints in a process of its own. */
#define _GNU_SOURCE
#include <errno.h>
#ifndef PLAIN
#include <mpi.h>
#endif
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank;
static volatile sig_atomic_t profs, virtuals, created, values;

static void on(int signal, siginfo_t* info, void* context) {
  (void)context;
  if (signal == SIGPROF) ++profs;
  if (signal == SIGVTALRM) ++virtuals;
  if (signal == SIGRTMIN + 3) {
    ++created;
    if (info->si_code == SI_TIMER) values += info->si_value.sival_int == 42 + rank;
  }
}

static void handle(int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(signal, &action, NULL);
}

static void together(void) {
#ifndef PLAIN
  MPI_Barrier(MPI_COMM_WORLD);
#endif
}

static double used(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Computes for so many seconds of the rank's own processor time. */
static double compute(double seconds) {
  const double start = used();
  volatile double x = 1;
  while (used() - start < seconds) {
    for (int i = 0; i < 20000; ++i) x = x * 1.0000001 + 0.1;
  }
  return used() - start;
}

/* Computes until so many signals have come. On a loaded machine few may come, but they come: 20 seconds of processor time is
 * more than any should take. */
static void compute_until(const volatile sig_atomic_t* count, int enough) {
  const double start = used();
  while (*count < enough && used() - start < 20) compute(0.005);
}

/* Enough signals, and no more than the processor time asks for. */
static int fits(int count, int enough, double seconds, double interval) {
  return count >= enough && count <= seconds / interval * 1.5 + 5;
}

static void arm(int which, long microseconds) {
  const struct itimerval value = {{0, microseconds}, {0, microseconds}};
  setitimer(which, &value, NULL);
}

/* Ranks with an odd number set no timer, and get no signal. */
static void profile(void) {
  const int timed = rank % 2 == 0;
  if (timed) arm(ITIMER_PROF, 5000);
  if (timed) arm(ITIMER_VIRTUAL, 10000);
  together();
  const double start = used();
  if (timed) compute_until(&profs, 20);
  if (timed) compute_until(&virtuals, 10);
  compute(0.1);
  const double time = used() - start;
  struct itimerval now = {{0, 0}, {0, 0}};
  getitimer(ITIMER_PROF, &now);
  printf("interval %d\n", now.it_interval.tv_usec == (timed ? 5000 : 0));
  arm(ITIMER_PROF, 0);
  arm(ITIMER_VIRTUAL, 0);
  const int both = profs + virtuals;
  printf("profile %d\n", timed ? fits(profs, 20, time, 0.005) : profs == 0);
  printf("virtual %d\n", timed ? fits(virtuals, 10, time, 0.01) : virtuals == 0);
  together();
  compute(0.05);
  printf("off %d\n", profs + virtuals == both);
}

/* Rank 0 turns its timer off, and the others keep theirs. */
static void off(void) {
  arm(ITIMER_PROF, 5000);
  together();
  if (rank == 0) arm(ITIMER_PROF, 0);
  together();
  const int before = profs;
  if (rank == 0) compute(0.2);
  if (rank != 0) compute_until(&profs, before + 1);
  printf("goes on %d\n", rank == 0 ? profs == before : profs > before);
}

/* Signals that find the rank in MPI, or in a handler, are not lost. */
static void in_mpi(void) {
  arm(ITIMER_PROF, 2000);
  const double start = used();
  volatile double x = 1;
  while (profs < 20 && used() - start < 20) {
    for (int i = 0; i < 100; ++i) {
#ifndef PLAIN
      int flag;
      MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
#endif
    }
    for (int i = 0; i < 2000; ++i) x = x * 1.0000001 + 0.1;
  }
  arm(ITIMER_PROF, 0);
  printf("in MPI %d\n", fits(profs, 20, used() - start, 0.002));
}

static timer_t make(clockid_t clock) {
  timer_t timer;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN + 3;
  event.sigev_value.sival_int = 42 + rank;
  if (timer_create(clock, &event, &timer) != 0) printf("not made: %d\n", errno);
  return timer;
}

static void make_and_wait(void) {
  const timer_t timer = make(CLOCK_MONOTONIC);
  if (rank % 2 == 0) {
    const struct itimerspec often = {{0, 2000000}, {0, 2000000}};
    struct itimerspec now;
    timer_settime(timer, 0, &often, NULL);
    timer_gettime(timer, &now);
    printf("armed %d\n", now.it_interval.tv_nsec == 2000000 && now.it_value.tv_nsec <= 2000000);
    while (created < 5) usleep(1000);
    printf("overrun %d\n", timer_getoverrun(timer) >= 0);
    const struct itimerspec never = {{0, 0}, {0, 0}};
    timer_settime(timer, 0, &never, NULL);
  } else {
    printf("armed 1\noverrun 1\n");
  }
  together();
  printf("created %d\n", rank % 2 == 0 ? created >= 5 && values == created : created == 0);
  /* at a time that has passed: at once */
  const int before = created;
  struct itimerspec passed = {{0, 0}, {1, 0}};
  timer_settime(timer, TIMER_ABSTIME, &passed, NULL);
  while (created == before) usleep(1000);
  usleep(5000);
  printf("once %d\n", created == before + 1);
  printf("deleted %d", timer_delete(timer));
  printf(" %d\n", timer_delete((timer_t)(intptr_t)12345));
  struct itimerspec value;
  const timer_t others = make(CLOCK_REALTIME);
  printf("two %d\n", timer_gettime(others, &value) == 0 && value.it_value.tv_sec == 0);
}

/* On the processor time of the rank: a rank that waits does not come nearer. */
static void processor_time(void) {
  const timer_t timer = make(CLOCK_PROCESS_CPUTIME_ID);
  const struct itimerspec later = {{0, 0}, {0, 100000000}};
  timer_settime(timer, 0, &later, NULL);
  if (rank % 2 == 0) compute_until(&created, 1);
  together();
  printf("due %d\n", created == (rank % 2 == 0));
  const double start = used();
  while (created == 0) compute(0.01);
  printf("in time %d\n", used() - start < 5);
}

/* A child has no timers. */
static void child(void) {
  arm(ITIMER_PROF, 5000);
  fflush(stdout);
  const pid_t made = fork();
  if (made == 0) {
    struct itimerval now;
    getitimer(ITIMER_PROF, &now);
    const int none = now.it_interval.tv_usec == 0;
    const int before = profs;
    compute(0.05);
    _exit(none && profs == before ? 7 : 1);
  }
  int status = 0;
  waitpid(made, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
}

int main(int argc, char** argv) {
#ifndef PLAIN
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  const char* const use = argc > 1 ? argv[1] : "";
  handle(SIGPROF);
  handle(SIGVTALRM);
  handle(SIGRTMIN + 3);
  if (strcmp(use, "profile") == 0) profile();
  if (strcmp(use, "off") == 0) off();
  if (strcmp(use, "in-mpi") == 0) in_mpi();
  if (strcmp(use, "created") == 0) make_and_wait();
  if (strcmp(use, "processor-time") == 0) processor_time();
  if (strcmp(use, "child") == 0) child();
#ifndef PLAIN
  MPI_Finalize();
#endif
  return 0;
}
