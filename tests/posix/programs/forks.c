/* Rank 0 forks while the other ranks print their lines: the child is a process of one thread, in which
 * no other rank goes on, whatever it waits for. Each line comes once. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kLines = 20, kLocks = 1000, kStatus = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* give(void* value) {
  return value;
}

/* Every way to wait there is, and a thread. */
static int be_a_child(void) {
  pthread_t thread;
  void* given = NULL;
  for (int i = 0; i < kLines; ++i) {
    usleep(2000);
    sched_yield();
  }
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  if (pthread_create(&thread, NULL, give, &mutex) != 0) return 1;
  pthread_join(thread, &given);
  return given == &mutex ? kStatus : 1;
}

int main(int argc, char** argv) {
  int rank, status = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const pid_t child = fork();
    if (child == 0) _exit(be_a_child());
    while (waitpid(child, &status, WNOHANG) == 0) usleep(1000);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  } else {
    for (int i = 0; i < kLines; ++i) {
      printf("rank %d line %d\n", rank, i);
      fflush(stdout);
      usleep(2000);
    }
  }
  MPI_Finalize();
  return 0;
}
