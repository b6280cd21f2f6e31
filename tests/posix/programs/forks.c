/* Rank 0 forks while the other ranks print their lines, in each way that copies the memory: the child is a process of one
 * thread, in which no other rank goes on, whatever it waits for. Each line comes once. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kLines = 20, kLocks = 1000, kStatus = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* give(void* value) {
  return value;
}

static void wait_often(void) {
  for (int i = 0; i < kLines; ++i) {
    usleep(2000);
    sched_yield();
  }
}

/* Every way to wait there is, and a thread. */
static int be_a_child(void) {
  pthread_t thread;
  void* given = NULL;
  wait_often();
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  if (pthread_create(&thread, NULL, give, &mutex) != 0) return 1;
  pthread_join(thread, &given);
  return given == &mutex ? kStatus : 1;
}

/* Without what libc does around a fork: such a child may do little more. */
static int be_a_bare_child(void) {
  wait_often();
  return kStatus;
}

static pid_t raw_fork(void) {
  return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
}

static const struct {
  const char* name;
  pid_t (*make)(void);
  int (*be)(void);
} kWays[] = {{"fork", fork, be_a_child},
             {"_Fork", _Fork, be_a_bare_child},
             {"clone", raw_fork, be_a_bare_child}};

static void fork_and_wait(int way) {
  int status = 0;
  const pid_t child = kWays[way].make();
  if (child == 0) _exit(kWays[way].be());
  while (waitpid(child, &status, WNOHANG) == 0) usleep(1000);
  printf("child of %s %d\n", kWays[way].name, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void print_lines(int rank, int way) {
  for (int i = 0; i < kLines; ++i) {
    printf("rank %d while %s line %d\n", rank, kWays[way].name, i);
    fflush(stdout);
    usleep(2000);
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int way = 0; way < 3; ++way) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      fork_and_wait(way);
    } else {
      print_lines(rank, way);
    }
  }
  MPI_Finalize();
  return 0;
}
