/* collectives - what does a collective cost when several communicators are busy at the same time?
 *
 *   threads:    each of the communicators has a thread of every rank
 *   processes:  the ranks are dealt out to the communicators in turn: rank 0 to the first, rank 1 to the
 *               second...; on several nodes with a rank of each communicator on each, as the threads
 *
 * Every call carries its number: in the first element that is reduced, broadcast, or sent to each. */
#include "common.h"

static const char *mode = "threads", *operation = "allreduce";
static long count = 4;
static List sizes = {3, {8, 1024, 65536}};

static MPI_Comm comm[BENCH_THREADS];

typedef struct {
  MPI_Comm comm;
  int rank, members, elements; /* elements: doubles of a member, or for each other one (alltoall) */
  double *mine, *all;
  double number; /* of the next call */
} Call;

static void expect(const Member* member, int element, double got, double wanted) {
  if (got != wanted)
    bench_wrong(member->bench, "element %d of the %s is %g, not %g", element, operation, got,
                wanted);
}

static void barrier(Member* member, long iterations, void* argument) {
  const Call* c = argument;
  (void)member;
  for (long i = 0; i < iterations; i++) MPI_Barrier(c->comm);
}

static void allreduce(Member* member, long iterations, void* argument) {
  Call* c = argument;
  for (long i = 0; i < iterations; i++) {
    c->mine[0] = c->number + c->rank;
    MPI_Allreduce(c->mine, c->all, c->elements, MPI_DOUBLE, MPI_SUM, c->comm);
    expect(member, 0, c->all[0], c->members * (c->number + 0.5 * (c->members - 1)));
    c->number++;
  }
}

/* The root changes, lest it run ahead of the others. */
static void bcast(Member* member, long iterations, void* argument) {
  Call* c = argument;
  for (long i = 0; i < iterations; i++) {
    const int root = (int)((long)c->number % c->members);
    double* at = root == c->rank ? c->mine : c->all;
    if (root == c->rank) at[0] = c->number;
    MPI_Bcast(at, c->elements, MPI_DOUBLE, root, c->comm);
    expect(member, 0, at[0], c->number);
    c->number++;
  }
}

static void alltoall(Member* member, long iterations, void* argument) {
  Call* c = argument;
  for (long i = 0; i < iterations; i++) {
    for (int m = 0; m < c->members; m++) c->mine[m * c->elements] = c->number + c->rank;
    MPI_Alltoall(c->mine, c->elements, MPI_DOUBLE, c->all, c->elements, MPI_DOUBLE, c->comm);
    for (int m = 0; m < c->members; m++)
      expect(member, m * c->elements, c->all[m * c->elements], c->number + m);
    c->number++;
  }
}

/* What element e of a member holds, other than a first one, which is a number. */
static double content(int e) {
  return 3.0 * e;
}

static void check_rest(const Member* member, const Call* c) {
  const int blocks = is(operation, "alltoall") ? c->members : 1;
  const double factor = is(operation, "allreduce") ? c->members : 1;
  if (is(operation, "bcast") && c->number < c->members) return; /* nothing may have come yet */
  for (int b = 0; b < blocks; b++)
    for (int e = 1; e < c->elements; e++)
      expect(member, e, c->all[b * c->elements + e], factor * content(e));
}

static Work* work_of(const char* name) {
  if (is(name, "barrier")) return barrier;
  if (is(name, "bcast")) return bcast;
  return is(name, "alltoall") ? alltoall : allreduce;
}

static void measure_size(Member* member, Call* c, long size) {
  static Samples samples; /* touched by the first member only */
  const int blocks = is(operation, "alltoall") ? c->members : 1;
  c->elements = (int)((size + 7) / 8);
  const size_t bytes = (size_t)c->elements * 8;
  c->mine = bench_memory(bytes * (size_t)blocks);
  c->all = bench_memory(bytes * (size_t)blocks);
  c->number = 0;
  for (int i = 0; i < blocks * c->elements; i++) c->mine[i] = content(i % c->elements);
  bench_measure(member, work_of(operation), c, &samples);
  if (c->elements) check_rest(member, c);
  bench_result(member, &samples, AS_TIME, 1e6, operation, "us",
               "mode=%s pairs=%ld members=%d size=%zu", mode, count, c->members, bytes);
  free(c->mine);
  free(c->all);
}

static void body(Member* member, void* argument) {
  Call c = {.comm = comm[member->thread]};
  (void)argument;
  MPI_Comm_rank(c.comm, &c.rank);
  MPI_Comm_size(c.comm, &c.members);
  if (is(operation, "barrier")) {
    measure_size(member, &c, 0);
    return;
  }
  for (int i = 0; i < sizes.count; i++) measure_size(member, &c, sizes.value[i]);
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"operation", CHOICE, &operation, "what is called", "allreduce|barrier|bcast|alltoall", 0, 0},
      {"mode", CHOICE, &mode, "a communicator's members are processes, or a thread of each rank",
       "processes|threads", 0, 0},
      {"pairs", NUMBER, &count, "how many communicators are busy", NULL, 1, BENCH_THREADS},
      {"sizes", NUMBERS, &sizes, "bytes that are reduced, or sent to each; barrier: none", NULL, 1,
       1L << 26}};
  Bench bench;
  bench_options(&bench, argc, argv, "collectives",
                "what a collective costs when several communicators are busy at the same time",
                WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  const int threads = is(mode, "threads") ? (int)count : 0;
  if (threads)
    bench_require(&bench, bench.ranks >= 2, "wants 2 ranks or more (mpiexec -n 2)");
  else
    bench_require(
        &bench, bench.ranks >= 2 * count && bench.ranks % count == 0,
        "%ld communicators of processes want a multiple of %ld ranks, %ld or more, and there "
        "are %d",
        count, count, 2 * count, bench.ranks);
  const int comms = threads ? threads : 1;
  for (int i = 0; i < comms; i++)
    MPI_Comm_split(MPI_COMM_WORLD, threads ? 0 : bench.rank % (int)count, bench.rank, &comm[i]);
  bench_run(&bench, threads, body, NULL);
  for (int i = 0; i < comms; i++) MPI_Comm_free(&comm[i]);
  return bench_end(&bench);
}
