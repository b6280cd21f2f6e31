// On how many CPUs may what a rank starts run? Prints how many its kernel thread may and then "WHAT COUNT".
// "asked": all answers that the rank itself gets, which are those of a process (-DPLAIN). "chosen": what the rank starts gets
// the CPU that the rank has chosen, as in a process.
#define _GNU_SOURCE
#ifndef PLAIN
#include <mpi.h>
#endif
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int cpus(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}

// What the kernel says, whoever asks.
static int cpus_of_kernel_thread(void) {
  FILE* command = fopen("/proc/thread-self/status", "r");
  char line[4096];
  int result = 0;
  while (fgets(line, sizeof line, command) != NULL) {
    if (strncmp(line, "Cpus_allowed:", 13) != 0) continue;
    for (const char* digits = line + 14; *digits != '\n'; ++digits) {
      const char digit[] = {*digits, 0};
      if (*digits != ',') result += __builtin_popcountl(strtoul(digit, NULL, 16));
    }
  }
  fclose(command);
  return result;
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

static int cpus_by_number(void) {
  cpu_set_t set;
  const long bytes = syscall(SYS_sched_getaffinity, getpid(), sizeof set, &set);
  return bytes < 0 ? -1 : CPU_COUNT_S((size_t)bytes, &set);
}

static int cpus_of_self(void) {
  cpu_set_t set;
  return pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}

static int team_size(void) {
  int result = 0;
#pragma omp parallel
#pragma omp atomic
  ++result;
  return result;
}

// 1: the set is what is told afterwards, and what was before can be had again.
static int is_told_back(int cpu) {
  cpu_set_t before, one, told;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_getaffinity(0, sizeof before, &before);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return 0;
  sched_getaffinity(0, sizeof told, &told);
  const int is_told = CPU_EQUAL(&one, &told);
  pthread_setaffinity_np(pthread_self(), sizeof before, &before);
  pthread_getaffinity_np(pthread_self(), sizeof told, &told);
  return is_told && CPU_EQUAL(&before, &told);
}

static int are_told_back(void) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all) && !is_told_back(cpu)) return 0;
  return 1;
}

static void tell_chosen(void) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    printf("chosen %d: thread %d, child %d %d %d %d\n", cpu, in_thread(NULL), in_fork(),
           in_system(), in_popen(), in_spawn());
    sched_setaffinity(0, sizeof all, &all);
    const long refused = syscall(SYS_sched_setaffinity, 0, sizeof one, NULL);
    printf("back: %d %d, null: %ld %d\n", in_thread(NULL), in_system(), refused, errno == EFAULT);
  }
}

static void tell_all(void) {
  printf("may %d %d %d, procs %d, team %d, machine %d, child %d %d, told back %d\n", cpus(),
         cpus_of_self(), cpus_by_number(), omp_get_num_procs(), team_size(), get_nprocs(),
         in_fork(), in_system(), are_told_back());
}

int main(int argc, char** argv) {
  unsetenv("OMP_NUM_THREADS");  // which nproc obeys
#ifndef PLAIN
  MPI_Init(&argc, &argv);
#endif
  const int before = cpus_of_kernel_thread();
  const char* what = argv[1];
  int result = -1;
  if (strcmp(what, "thread") == 0) result = in_thread(NULL);
  if (strcmp(what, "bound") == 0) result = in_bound_thread();
  if (strcmp(what, "team") == 0) result = in_team();
  if (strcmp(what, "fork") == 0) result = in_fork();
  if (strcmp(what, "system") == 0) result = in_system();
  if (strcmp(what, "popen") == 0) result = in_popen();
  if (strcmp(what, "spawn") == 0) result = in_spawn();
  if (strcmp(what, "asked") == 0) tell_all();
  if (strcmp(what, "chosen") == 0) tell_chosen();
  const char* const after = cpus_of_kernel_thread() == before ? "back" : "lost";
  if (result >= 0) printf("%d %s %d %s\n", before, what, result, after);
  if (result < 0 && strcmp(after, "lost") == 0) printf("lost\n");
#ifndef PLAIN
  MPI_Finalize();
#endif
  return 0;
}
