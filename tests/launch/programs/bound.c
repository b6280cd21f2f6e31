/* A program of bench/threads whose members say on which CPUs they may run, after what the program knows:
 * "process cores 2 of 2 0,1", the CPU of each if it is bound to one, else minus the number of them. */
#define _GNU_SOURCE
#include "common.h"

static long threads = 2;
static cpu_set_t masks[BENCH_THREADS];

/* Built with -Dsched_setaffinity=refused: as where a batch system confines a rank to other cores. */
int refused(pid_t id, size_t size, const cpu_set_t* mask);
int refused(pid_t id, size_t size, const cpu_set_t* mask) {
  (void)id, (void)size, (void)mask;
  return -1;
}

static void body(Member* member, void* argument) {
  (void)argument;
  sched_getaffinity(0, sizeof(cpu_set_t), &masks[member->thread]);
}

static int only_cpu(const cpu_set_t* mask) {
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, mask)) return cpu;
  return -1;
}

int main(int argc, char** argv) {
  const Option options[] = {{"threads", NUMBER, &threads, "members", NULL, 1, BENCH_THREADS}};
  Bench bench;
  bench_options(&bench, argc, argv, "bound", "says where members run", WITH_LENGTH(options));
  bench_begin(&bench, MPI_THREAD_MULTIPLE);
  bench_run(&bench, (int)threads, body, NULL);
  const int bound = is(bench.binding, "cores");
  printf("%s %s %d of %d ", bench.rank_is, bench.binding, bench.strands, bench.cores);
  for (long i = 0; i < threads; i++)
    printf("%s%d", i ? "," : "",
           bound && CPU_COUNT(&masks[i]) == 1 ? only_cpu(&masks[i]) : -CPU_COUNT(&masks[i]));
  printf("\n");
  return bench_end(&bench);
}
