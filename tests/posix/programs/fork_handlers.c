/* pthread_atfork: a fork calls the handlers of its own rank alone, in the order that POSIX says, in which of the rank's
 * threads it forks. As a process (PLAIN) the same holds. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifndef PLAIN
#include <mpi.h>
#endif

enum { kForks = 3 };

static char order[64];

static void note(const char* what) {
  if (strlen(order) + strlen(what) < sizeof order) strcat(order, what);
}

static void before_1(void) {
  note("a");
}
static void before_2(void) {
  note("b");
}
static void before_3(void) {
  note("c");
}
static void parent_1(void) {
  note("A");
}
static void parent_2(void) {
  note("B");
}
static void child_1(void) {
  note("1");
}
static void child_3(void) {
  note("3");
}

/* vfork and _Fork call none. */
static int is_silent(pid_t (*make)(void)) {
  int status = -1;
  order[0] = 0;
  const pid_t child = make();
  if (child == 0) _exit(order[0] == 0 ? 0 : 1);
  return waitpid(child, &status, 0) == child && status == 0 && order[0] == 0;
}

static void* make_child(void* wrong) {
  int status = -1;
  order[0] = 0;
  const pid_t child = fork();
  if (child == 0) _exit(strcmp(order, "cba13") == 0 ? 0 : 1);
  if (strcmp(order, "cbaAB") != 0) *(int*)wrong = 1;
  if (waitpid(child, &status, 0) != child || status != 0) *(int*)wrong = 2;
  return NULL;
}

int main(void) {
  int rank = 0, wrong = 0;
  pthread_t thread;
#ifndef PLAIN
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &(int){0});
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  pthread_atfork(before_1, parent_1, child_1);
  pthread_atfork(before_2, parent_2, NULL);
  pthread_atfork(before_3, NULL, child_3);
#ifndef PLAIN
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 0 && (!is_silent(vfork) || !is_silent(_Fork))) wrong = 4;
  for (int i = 0; i < kForks && rank == 0; ++i) {
    make_child(&wrong);
    pthread_create(&thread, NULL, make_child, &wrong);
    pthread_join(thread, NULL);
  }
#ifndef PLAIN
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0 && order[0] != 0) wrong = 3;
  MPI_Barrier(MPI_COMM_WORLD);
  make_child(&wrong); /* all at once */
  MPI_Finalize();
#endif
  if (wrong == 0) {
    printf("ok\n");
  } else {
    printf("wrong: %d, %s\n", wrong, order);
  }
  return 0;
}
