/* The library's own kernel threads, as /proc shows them, after the program has done to its own threads what others could
   inherit. Each rank prints "ok", or what a thread has that it should not; rank 0 the names found, too. */
#define _GNU_SOURCE
#include <dirent.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void line_of(const char* task, const char* file, const char* begin, char* out, size_t size) {
  char path[300], line[256];
  snprintf(path, sizeof path, "/proc/self/task/%s/%s", task, file);
  FILE* const stream = fopen(path, "r");
  out[0] = '\0';
  while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
    if (strncmp(line, begin, strlen(begin)) != 0) continue;
    snprintf(out, size, "%s", line + strlen(begin));
    out[strcspn(out, "\n")] = '\0';
    break;
  }
  if (stream != NULL) fclose(stream);
}

static int wrong(const char* task, const char* name) {
  char first[16], blocked[256], cpus[256], cpus_of_first[256];
  snprintf(first, sizeof first, "%d", getpid());
  line_of(task, "status", "SigBlk:\t", blocked, sizeof blocked);
  line_of(task, "status", "Cpus_allowed:\t", cpus, sizeof cpus);
  line_of(first, "status", "Cpus_allowed:\t", cpus_of_first, sizeof cpus_of_first);
  /* Of 64 signals libc keeps two for itself, and two cannot be blocked. */
  if ((strtoull(blocked, NULL, 16) | 0x180040100ull) != ~0ull)
    return printf("%s blocks only %s\n", name, blocked);
  if (strcmp(cpus, cpus_of_first) != 0)
    return printf("%s may use %s, not %s\n", name, cpus, cpus_of_first);
  return 0;
}

static void handler(int signal) {
  (void)signal;
}

int main(int argc, char** argv) {
  int rank, bad = 0, ends[2];
  cpu_set_t one;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  signal(SIGALRM, handler);
  const struct itimerval soon = {{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  if (pipe(ends) != 0) return 2;
  struct pollfd waiting = {ends[0], POLLIN, 0};
  poll(&waiting, 1, 50);
  MPI_Barrier(MPI_COMM_WORLD);
  DIR* const tasks = opendir("/proc/self/task");
  for (struct dirent* task; (task = readdir(tasks)) != NULL;) {
    char name[256];
    line_of(task->d_name, "comm", "", name, sizeof name);
    if (strncmp(name, "heddle-", 7) != 0 || strcmp(name, "heddle-host") == 0 ||
        strcmp(name, "heddle-worker") == 0)
      continue;
    if (rank == 0) printf("%s\n", name);
    bad |= wrong(task->d_name, name);
  }
  closedir(tasks);
  if (bad == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
