/* collective_compute - do threads that compute and a thread in collectives hinder each other?
 * Each rank has `compute` threads that compute and its main thread in a loop of allreduces, as a
 * program with OpenMP has it. Measured for --seconds each: collectives alone, computation alone,
 * both at once. */
#include "common.h"

enum { FIELD = 1024, LARGEST_SERIES = 4096 };

static long threads = 1, size = 8;

typedef struct {
  double until; /* when to end */
  long sweeps;
  double field[FIELD];
} Computer;

static void* compute(void* argument) {
  Computer* c = argument;
  while (bench_now() < c->until) {
    for (int sweep = 0; sweep < 20; sweep++)
      for (int i = 1; i + 1 < FIELD; i++)
        c->field[i] = 0.25 * c->field[i - 1] + 0.5 * c->field[i] + 0.25 * c->field[i + 1];
    c->sweeps += 20;
  }
  return NULL;
}

/* Allreduces until rank 0's time is up; their times, on rank 0. Element 0 of the sum says how many
 * ranks go on: rank 0's vote is 1 until its time is up. */
static int reduce_until(const Bench* bench, double until, double* trips) {
  const int elements = (int)((size + 7) / 8);
  double* mine = bench_memory((size_t)elements * 8);
  double* sum = bench_memory((size_t)elements * 8);
  int done = 0;
  for (int e = 0; e < elements; e++) mine[e] = bench->rank + e;
  do {
    const double start = bench_now();
    mine[0] = bench->rank == 0 && start < until;
    MPI_Allreduce(mine, sum, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    trips[done % LARGEST_SERIES] = (bench_now() - start) * 1e6;
    done++;
  } while (sum[0] != 0);
  const double ranks = bench->ranks;
  for (int e = 1; e < elements; e++)
    if (sum[e] != ranks * (ranks - 1) / 2 + ranks * e)
      bench_wrong(bench, "element %d of a sum is %g", e, sum[e]);
  free(mine);
  free(sum);
  return done;
}

/* Sweeps a second of all computing threads of all ranks, on rank 0. */
static double phase(const Bench* bench, int reducing, int computing, double* trips, int* done) {
  static Computer computers[BENCH_THREADS];
  pthread_t ids[BENCH_THREADS];
  MPI_Barrier(bench->control);
  const double start = bench_now(), until = start + bench->seconds;
  for (int i = 0; i < computing; i++) {
    computers[i].until = until;
    computers[i].sweeps = 0;
    if (pthread_create(&ids[i], NULL, compute, &computers[i]) != 0)
      bench_wrong(bench, "there can be no %d threads", computing);
  }
  if (reducing) *done = reduce_until(bench, until, trips);
  double mine = 0, all = 0;
  for (int i = 0; i < computing; i++) {
    pthread_join(ids[i], NULL);
    mine += (double)computers[i].sweeps;
  }
  mine /= bench_now() - start;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, bench->control);
  return all;
}

static void print_reductions(Bench* bench, const double* trips, int done, double seconds,
                             const char* beside) {
  const Member member = {bench, NULL, 0};
  const int kept = done < LARGEST_SERIES ? done : LARGEST_SERIES;
  const double rate = done / seconds;
  bench_figures(&member, trips, kept, 0, "allreduce", "us", "less",
                "beside=%s threads=%ld size=%ld", beside, threads, size);
  bench_figures(&member, &rate, 1, 0, "allreduces", "1/s", "more", "beside=%s threads=%ld size=%ld",
                beside, threads, size);
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"threads", NUMBER, &threads, "threads that compute in each rank", NULL, 1, BENCH_THREADS},
      {"size", NUMBER, &size, "bytes that are reduced", NULL, 1, 1L << 24}};
  static double trips[LARGEST_SERIES];
  int done = 0;
  Bench bench;
  bench_options(&bench, argc, argv, "collective_compute",
                "whether computing threads and a thread in collectives hinder each other",
                WITH_LENGTH(options));
  bench_begin(&bench, MPI_THREAD_MULTIPLE);
  const Member member = {&bench, NULL, 0};
  const char* const kRate = "computation rate";

  phase(&bench, 1, 0, trips, &done); /* warm-up */
  phase(&bench, 1, 0, trips, &done);
  print_reductions(&bench, trips, done, bench.seconds, "nothing");
  const double alone = phase(&bench, 0, (int)threads, trips, &done);
  bench_figures(&member, &alone, 1, 0, kRate, "sweeps/s", "more",
                "beside=nothing threads=%ld size=%ld", threads, size);
  const double beside = phase(&bench, 1, (int)threads, trips, &done);
  print_reductions(&bench, trips, done, bench.seconds, "computation");
  bench_figures(&member, &beside, 1, 0, kRate, "sweeps/s", "more",
                "beside=collectives threads=%ld size=%ld", threads, size);
  return bench_end(&bench);
}
