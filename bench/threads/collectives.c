/* collectives - what does a collective cost when several communicators are busy at the same time?
 * Allreduce on `pairs` communicators of two ranks each: in threads mode one thread of each of two
 * ranks for every communicator, in processes mode two ranks for every communicator. */
#include "common.h"

static const char* mode = "threads";
static long count = 4;
static List sizes = {3, {8, 1024, 65536}};

static int threads; /* of each rank; 0 in processes mode */
static MPI_Comm comm[BENCH_THREADS];

typedef struct {
  MPI_Comm comm;
  int elements;
  double *mine, *sum;
} Reduction;

static void allreduce(Member* member, long iterations, void* argument) {
  const Reduction* r = argument;
  (void)member;
  for (long i = 0; i < iterations; i++)
    MPI_Allreduce(r->mine, r->sum, r->elements, MPI_DOUBLE, MPI_SUM, r->comm);
}

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  Bench* bench = member->bench;
  const int index = threads ? member->thread : 0, id = bench->rank * 1000 + index;
  (void)argument;
  for (int i = 0; i < sizes.count; i++) {
    const int elements = (int)((sizes.value[i] + 7) / 8);
    const size_t size = (size_t)elements * 8;
    Reduction r = {comm[index], elements, bench_memory(size), bench_memory(size)};
    int both = 0;
    MPI_Allreduce(&id, &both, 1, MPI_INT, MPI_SUM, r.comm);
    for (int e = 0; e < elements; e++) r.mine[e] = id + e;
    bench_measure(member, allreduce, &r, &samples);
    for (int e = 0; e < elements; e++)
      if (r.sum[e] != both + 2.0 * e)
        bench_wrong(bench, "element %d of a sum is %g, not %g", e, r.sum[e], both + 2.0 * e);
    bench_result(member, &samples, AS_TIME, 1e6, "allreduce", "us", "mode=%s pairs=%ld size=%zu",
                 mode, count, size);
    free(r.mine);
    free(r.sum);
  }
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"mode", CHOICE, &mode, "who calls on a communicator: two processes, or threads of two ranks",
       "processes|threads", 0, 0},
      {"pairs", NUMBER, &count, "how many communicators are busy", NULL, 1, BENCH_THREADS},
      {"sizes", NUMBERS, &sizes, "bytes that are reduced", NULL, 1, 1L << 26}};
  Bench bench;
  bench_options(&bench, argc, argv, "collectives",
                "what an allreduce costs when several communicators are busy at the same time",
                WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  threads = is(mode, "threads") ? (int)count : 0;
  const int ranks = threads ? 2 : 2 * (int)count;
  bench_require(&bench, bench.ranks == ranks,
                "%ld communicators of %s want %d ranks, and there are %d (mpiexec -n %d)", count,
                mode, ranks, bench.ranks, ranks);
  const int comms = threads ? threads : 1;
  for (int i = 0; i < comms; i++)
    MPI_Comm_split(MPI_COMM_WORLD, threads ? 0 : bench.rank % (int)count, bench.rank, &comm[i]);
  bench_run(&bench, threads, body, NULL);
  for (int i = 0; i < comms; i++) MPI_Comm_free(&comm[i]);
  return bench_end(&bench);
}
