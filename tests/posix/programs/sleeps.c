/* What a sleep that a handler ends says of its rest: whole seconds that have passed nowhere, cut as libc cuts them. A clock of
 * processor time is none to sleep on in the scheduler. Prints "ok". */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { kLong = 1000, kSoon = 100000 /* us */ };

static int failed;

#define CHECK(condition)                           \
  if (!(condition)) {                              \
    failed = 1;                                    \
    printf("line %d: %s\n", __LINE__, #condition); \
  }

static void nothing(int signal) {
  (void)signal;
}

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void ring_soon(void) {
  const struct itimerval soon = {{0, 0}, {0, kSoon}};
  setitimer(ITIMER_REAL, &soon, NULL);
}

static double seconds(const struct timespec* time) {
  return time->tv_sec + time->tv_nsec / 1e9;
}

static void sleep_of_whole_seconds(void) {
  const double begin = now(CLOCK_MONOTONIC);
  ring_soon();
  const unsigned rest = sleep(kLong);
  CHECK(rest <= kLong - 1);
  CHECK(rest >= (unsigned)(kLong - (now(CLOCK_MONOTONIC) - begin)));
}

static void sleeps_of_nanoseconds(void) {
  const struct timespec length = {kLong, 0};
  struct timespec rest = {0, 0};
  ring_soon();
  errno = 0;
  CHECK(nanosleep(&length, &rest) == -1 && errno == EINTR);
  CHECK(seconds(&rest) > 0 && seconds(&rest) < kLong);
  ring_soon();
  CHECK(clock_nanosleep(CLOCK_BOOTTIME, 0, &length, &rest) == EINTR);
  CHECK(seconds(&rest) > 0 && seconds(&rest) < kLong);
  ring_soon();
  CHECK(thrd_sleep(&length, &rest) == -1);
  CHECK(seconds(&rest) > 0 && seconds(&rest) < kLong);
  ring_soon();
  CHECK(usleep(999999) == -1 && errno == EINTR);
}

static void sleep_until(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += 1000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  CHECK(clock_nanosleep(clock, TIMER_ABSTIME, &time, NULL) == 0);
  CHECK(now(clock) >= seconds(&time) - 1e-6);
}

static void wrong_sleeps(void) {
  const struct timespec wrong = {0, 1000000000}, past = {-1, 0};
  CHECK(nanosleep(&wrong, NULL) == -1 && errno == EINVAL);
  CHECK(nanosleep(&past, NULL) == -1 && errno == EINVAL);
  CHECK(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &past, NULL) == EINVAL);
}

int main(int argc, char** argv) {
  struct sigaction action = {0};
  MPI_Init(&argc, &argv);
  action.sa_handler = nothing;
  sigaction(SIGALRM, &action, NULL);
  sleep_of_whole_seconds();
  sleeps_of_nanoseconds();
  sleep_until(CLOCK_REALTIME);
  sleep_until(CLOCK_MONOTONIC);
  sleep_until(CLOCK_BOOTTIME);
  sleep_until(CLOCK_TAI);
  wrong_sleeps();
  if (!failed) puts("ok");
  MPI_Finalize();
  return failed;
}
