/* Calls of a rank while signals come to another one.
 *
 *   crossed_signals mixed      a call ends or goes on as the rank's own handler says, whatever the next rank's says
 *
 * These take two ranks:
 *
 *   crossed_signals bystander  a signal that another rank handles does not end poll
 *   crossed_signals repeated   such signals do not prolong calls with a timeout
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "signal_helpers.h"

static int pipe_end;
static void write_byte(int signal) {
  count(signal);
  if (write(pipe_end, "x", 1) != 1) _exit(8);
}

/* Even ranks restart calls in the first turn, odd ones in the second. Both expect SIGALRM at the same time. */
static void use_mixed(void) {
  int status = -1;
  char byte;
  for (int turn = 0; turn < 2; ++turn) {
    const int restarts = (rank + turn) % 2 == 0;
    int ends[2];
    if (pipe(ends) != 0) return;
    pipe_end = ends[1];
    meet();
    set(SIGALRM, restarts ? write_byte : count, restarts ? SA_RESTART : 0);
    meet();
    soon();
    int result = (int)read(ends[0], &byte, 1);
    tell(restarts ? "read restarts" : "read", result, result < 0 ? errno == EINTR : 0);
    const pid_t child = fork();
    if (child == 0) _exit(read(ends[0], &byte, 1) == 1 ? 7 : 2);
    soon();
    result = (int)waitpid(child, &status, 0);
    tell(restarts ? "waitpid restarts" : "waitpid", result == child,
         result < 0 ? errno == EINTR : 0);
    if (restarts) continue;
    write_byte(SIGALRM);
    waitpid(child, &status, 0);
  }
  printf("child %d, alarms %d\n", WEXITSTATUS(status), (int)seen);
}

#ifndef PLAIN
static void use_bystander(void) {
  int ends[2];
  if (pipe(ends) != 0) return;
  if (rank == 1) {
    struct pollfd told = {ends[0], POLLIN, 0};
    MPI_Send(&ends[1], 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    const int result = poll(&told, 1, -1);
    tell("polled", result, result == -1 ? errno : 0);
    return;
  }
  MPI_Recv(&ends[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  set(SIGUSR2, count, SA_RESTART);
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(kill(getppid(), SIGUSR2));
    waitpid(child, NULL, 0);
    while (seen == i) usleep(100);
  }
  if (write(ends[1], "x", 1) == 1) tell("handled", (int)seen, 0);
}

static int wait_poll(int file) {
  struct pollfd wanted = {file, POLLIN, 0};
  return poll(&wanted, 1, 500);
}
static int wait_epoll(int file) {
  struct epoll_event event = {EPOLLIN, {0}};
  const int set = epoll_create1(0);
  epoll_ctl(set, EPOLL_CTL_ADD, file, &event);
  const int result = epoll_wait(set, &event, 1, 500);
  close(set);
  return result;
}
static const struct timespec kHalf = {0, 500000000};
static int wait_nanosleep(int file) {
  (void)file;
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &kHalf, NULL);
}
static int wait_semtimedop(int file) {
  struct sembuf take = {0, -1, 0};
  const int set = semget(IPC_PRIVATE, 1, 0600);
  const int result = semtimedop(set, &take, 1, &kHalf) == -1 && errno == EAGAIN ? 0 : -1;
  semctl(set, 0, IPC_RMID);
  (void)file;
  return result;
}

/* A child sends a signal of rank 0 to the kernel thread that waits, more often than the wait lasts; at most for 30 s. */
static void wait_among_signals(const char* name, int (*wait)(int), int file) {
  const pid_t job = getpid(), thread = (pid_t)syscall(SYS_gettid);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 1500; ++i) {
      usleep(20000);
      if (syscall(SYS_tgkill, job, thread, SIGUSR2) != 0) break;
    }
    _exit(0);
  }
  int status = 0;
  const int result = wait(file);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  printf("%s %d, in time %d\n", name, result, WIFSIGNALED(status));
}

static void* wait_in_thread(void* file) {
  wait_among_signals("poll", wait_poll, *(int*)file);
  wait_among_signals("epoll_wait", wait_epoll, *(int*)file);
  wait_among_signals("clock_nanosleep", wait_nanosleep, *(int*)file);
  wait_among_signals("semtimedop", wait_semtimedop, *(int*)file);
  return NULL;
}

static void use_repeated(void) {
  pthread_t thread;
  int ends[2];
  if (pipe(ends) != 0) return;
  if (rank == 0) set(SIGUSR2, count, 0);
  meet();
  if (rank == 1) {
    pthread_create(&thread, NULL, wait_in_thread, ends);
    pthread_join(thread, NULL);
    wait_in_thread(ends);
  }
  meet();
}
#endif

static const Use kUses[] = {
    {"mixed", use_mixed},
#ifndef PLAIN
    {"bystander", use_bystander},
    {"repeated", use_repeated},
#endif
};

int main(int argc, char** argv) {
  return run_use(argc, argv, kUses, sizeof kUses / sizeof kUses[0]);
}
