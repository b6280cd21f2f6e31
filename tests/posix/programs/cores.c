// On how many CPUs may what a rank starts run? Prints how many it itself may and then "WHAT COUNT".
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int cpus(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}

static void* count(void* result) {
  *(int*)result = cpus();
  return NULL;
}

static int in_thread(const pthread_attr_t* attributes) {
  pthread_t thread;
  int result = -1;
  pthread_create(&thread, attributes, count, &result);
  pthread_join(thread, NULL);
  return result;
}

static int in_bound_thread(void) {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setaffinity_np(&attributes, sizeof here, &here);
  const int result = in_thread(&attributes);
  pthread_attr_destroy(&attributes);
  return result;
}

static int in_team(void) {
  int result = -1;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) result = cpus();
  return result;
}

static int in_fork(void) {
  const pid_t child = fork();
  if (child == 0) _exit(cpus());
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

static int in_system(void) {
  return WEXITSTATUS(system("exit $(nproc)"));
}

static int in_popen(void) {
  int result = -1;
  FILE* pipe = popen("nproc", "r");
  if (fscanf(pipe, "%d", &result) != 1) result = -1;
  pclose(pipe);
  return result;
}

static int in_spawn(void) {
  char* arguments[] = {"sh", "-c", "exit $(nproc)", NULL};
  pid_t child;
  int status = 0;
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) != 0) return -1;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

int main(int argc, char** argv) {
  unsetenv("OMP_NUM_THREADS");  // which nproc obeys
  MPI_Init(&argc, &argv);
  const int before = cpus();
  const char* what = argv[1];
  int result = -1;
  if (strcmp(what, "thread") == 0) result = in_thread(NULL);
  if (strcmp(what, "bound") == 0) result = in_bound_thread();
  if (strcmp(what, "team") == 0) result = in_team();
  if (strcmp(what, "fork") == 0) result = in_fork();
  if (strcmp(what, "system") == 0) result = in_system();
  if (strcmp(what, "popen") == 0) result = in_popen();
  if (strcmp(what, "spawn") == 0) result = in_spawn();
  printf("%d %s %d %s\n", before, what, result, cpus() == before ? "back" : "lost");
  MPI_Finalize();
  return 0;
}
