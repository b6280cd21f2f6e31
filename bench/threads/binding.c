/* binding.c - where the members run. Two that share a core by accident measure the scheduler's time
 * slices, so each gets a core of its own if all of a node fit ("cores"). Otherwise, with --bind none,
 * or where a batch system confines the ranks to other cores, the system decides ("none"). Where ranks
 * are threads of one process, the library's kernel threads carry them and are not the program's to
 * bind ("library").
 *
 * The cores are those that the threads of any rank of the node may use. Launchers that bind each rank
 * would keep its threads on that core; where the ranks' cores differ, those of the launcher, their
 * parent, are added. The first hardware thread of each core comes before the second ones. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"

static int order[CPU_SETSIZE]; /* the CPUs, best first */

/* The lowest hardware thread of the core that has this one. */
static int first_of_core(int cpu) {
  char path[128];
  int first = cpu;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  FILE* file = fopen(path, "r");
  if (!file) return cpu;
  if (fscanf(file, "%d", &first) != 1) first = cpu;
  fclose(file);
  return first;
}

/* Called by the thread of main(): it is the process's own unless the library carries ranks on threads
 * of its making; and such ranks have one process number, the system's, whatever getpid() says. */
static int ranks_are_threads(const Bench* bench) {
  int size;
  const long process = syscall(SYS_getpid), thread = syscall(SYS_gettid);
  long mine[3] = {process, -process, -(process != thread)}, least[3];
  MPI_Comm_size(bench->node, &size);
  MPI_Allreduce(mine, least, 3, MPI_LONG, MPI_MIN, bench->node);
  return least[2] != 0 || (size > 1 && least[0] == -least[1]);
}

/* What all kernel threads of this process may use: the calling one may be bound by the library. */
static cpu_set_t cores_of_process(void) {
  cpu_set_t all, one;
  CPU_ZERO(&all);
  DIR* tasks = opendir("/proc/self/task");
  struct dirent* task;
  while (tasks && (task = readdir(tasks)) != NULL) {
    const int id = atoi(task->d_name);
    if (id > 0 && sched_getaffinity(id, sizeof one, &one) == 0) CPU_OR(&all, &all, &one);
  }
  if (tasks) closedir(tasks);
  if (CPU_COUNT(&all) == 0) sched_getaffinity(0, sizeof all, &all);
  return all;
}

static int order_cores(const Bench* bench) {
  cpu_set_t mine = cores_of_process(), every, any, launcher;
  MPI_Allreduce(&mine, &every, sizeof mine, MPI_BYTE, MPI_BAND, bench->node);
  MPI_Allreduce(&mine, &any, sizeof mine, MPI_BYTE, MPI_BOR, bench->node);
  if (!CPU_EQUAL(&every, &any)) {
    if (sched_getaffinity(getppid(), sizeof launcher, &launcher) == 0)
      CPU_OR(&mine, &mine, &launcher);
    MPI_Allreduce(&mine, &any, sizeof mine, MPI_BYTE, MPI_BOR, bench->node);
  }
  int count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
      if (CPU_ISSET(cpu, &any) && (first_of_core(cpu) == cpu) == (pass == 0)) order[count++] = cpu;
  return count;
}

static int bind_to(int cpu) {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(cpu, &core);
  return sched_setaffinity(0, sizeof core, &core) == 0;
}

/* Whether all ranks of the node may bind to their cores; a batch system may confine each to some. */
static int all_may_bind(const Bench* bench, int strands) {
  cpu_set_t before;
  int mine = sched_getaffinity(0, sizeof before, &before) == 0, all;
  for (int i = 0; mine && i < strands; i++) mine = bind_to(order[bench->first_strand + i]);
  sched_setaffinity(0, sizeof before, &before);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, bench->node);
  return all;
}

void binding_plan(Bench* bench, int threads) {
  const int strands = threads > 0 ? threads : 1;
  int before = 0;
  MPI_Allreduce(&strands, &bench->strands, 1, MPI_INT, MPI_SUM, bench->node);
  MPI_Scan(&strands, &before, 1, MPI_INT, MPI_SUM, bench->node);
  bench->first_strand = before - strands;
  if (bench->cores == 0) bench->cores = order_cores(bench);
  if (ranks_are_threads(bench)) bench->rank_is = "thread";
  bench->binding = "none";
  if (is(bench->rank_is, "thread"))
    bench->binding = "library";
  else if (is(bench->bind, "auto") && bench->strands <= bench->cores &&
           all_may_bind(bench, strands))
    bench->binding = "cores";
}

void binding_apply(const Bench* bench, int thread) {
  if (!is(bench->binding, "cores")) return;
  const int cpu = order[bench->first_strand + thread];
  if (!bind_to(cpu))
    bench_wrong(bench, "thread %d cannot be bound to CPU %d (%s); try --bind none", thread, cpu,
                strerror(errno));
}
