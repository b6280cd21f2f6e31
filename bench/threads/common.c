/* common.c - members, measuring, payloads and pairs; see common.h. */
#include "common.h"

#include <time.h>

enum { FEWEST_SAMPLES = 5, SLICES = 20 };

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- members ---------------------------------------------------------------------------------- */

/* The members of one rank. What is not the barrier's is written by member 0 and read by the others
 * between two of its barriers; `took` is written by each and read by member 0. */
struct Team {
  int threads; /* at least 1 */
  pthread_barrier_t barrier;
  long iterations;
  double took[BENCH_THREADS];
};

typedef struct {
  Member member;
  Body* body;
  void* argument;
} Start;

static void* enter(void* argument) {
  Start* start = argument;
  start->body(&start->member, start->argument);
  return NULL;
}

void bench_run(Bench* bench, int threads, Body* body, void* argument) {
  Team team = {.threads = threads > 0 ? threads : 1};
  Start starts[BENCH_THREADS];
  pthread_t ids[BENCH_THREADS];
  pthread_barrier_init(&team.barrier, NULL, (unsigned)team.threads);
  for (int i = 0; i < team.threads; i++) starts[i] = (Start){{bench, &team, i}, body, argument};
  for (int i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, enter, &starts[i]) != 0)
      bench_wrong(bench, "there can be no %d threads", threads);
  if (threads == 0) body(&starts[0].member, argument);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  pthread_barrier_destroy(&team.barrier);
}

static void team_barrier(Member* member) {
  if (member->team->threads > 1) pthread_barrier_wait(&member->team->barrier);
}

void bench_barrier(Member* member) {
  team_barrier(member);
  if (member->thread == 0) MPI_Barrier(member->bench->control);
  team_barrier(member);
}

/* ---- measuring -------------------------------------------------------------------------------- */

/* What rank 0 has seen of a point so far. */
typedef struct {
  double spent; /* seconds in samples */
  int sampling; /* the number of iterations has been found */
} Progress;

/* The iterations of the next round, or 0 when there are enough samples. */
static long decide(const Bench* bench, Progress* progress, long iterations, double took,
                   Samples* samples) {
  const double slice = bench->seconds / SLICES;
  if (!progress->sampling) {
    if (took < slice / 2 && iterations < (1L << 30)) return iterations * 2;
    progress->sampling = 1;
    const double one = took / (double)iterations;
    return one < slice ? (long)(slice / one) : 1;
  }
  progress->spent += took;
  bench_add(samples, took / (double)iterations);
  if (samples->count == BENCH_SAMPLES) return 0;
  if (progress->spent >= 3 * bench->seconds) return 0; /* slow ones do with fewer samples */
  return progress->spent >= bench->seconds && samples->count >= FEWEST_SAMPLES ? 0 : iterations;
}

/* The time of the slowest member of all ranks, on rank 0. */
static double slowest(const Bench* bench, const Team* team) {
  double mine = 0, all = 0;
  for (int i = 0; i < team->threads; i++)
    if (team->took[i] > mine) mine = team->took[i];
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, bench->control);
  return all;
}

void bench_measure(Member* member, Work* work, void* argument, Samples* samples) {
  const Bench* bench = member->bench;
  Team* team = member->team;
  Progress progress = {0};
  if (member->thread == 0) {
    samples->count = 0;
    team->iterations = 1;
  }
  for (;;) {
    bench_barrier(member);
    const long iterations = team->iterations;
    if (iterations == 0) break;
    const double start = bench_now();
    work(member, iterations, argument);
    team->took[member->thread] = bench_now() - start;
    team_barrier(member);
    if (member->thread != 0) continue;
    const double took = slowest(bench, team);
    long next = 0;
    if (bench->rank == 0) next = decide(bench, &progress, iterations, took, samples);
    MPI_Bcast(&next, 1, MPI_LONG, 0, bench->control);
    team->iterations = next;
  }
  team_barrier(member); /* nobody begins the next point while another reads `iterations` */
}

void bench_add(Samples* samples, double seconds) {
  if (samples->count < BENCH_SAMPLES) samples->value[samples->count++] = seconds;
}

/* ---- payloads --------------------------------------------------------------------------------- */

void* bench_memory(size_t bytes) {
  const size_t page = 4096, whole = bytes ? (bytes + page - 1) / page * page : page;
  void* memory = aligned_alloc(page, whole);
  if (!memory) {
    fprintf(stderr, "there are no %zu bytes of memory\n", whole);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  memset(memory, 0, whole);
  return memory;
}

static unsigned char pattern(size_t i, unsigned seed) {
  return (unsigned char)((i * 2654435761u + seed * 40503u + 17) >> 8);
}

void bench_fill(void* memory, size_t bytes, unsigned seed) {
  unsigned char* at = memory;
  for (size_t i = 0; i < bytes; i++) at[i] = pattern(i, seed);
}

void bench_check(const Bench* bench, const void* memory, size_t bytes, unsigned seed,
                 const char* what) {
  const unsigned char* at = memory;
  for (size_t i = 0; i < bytes; i++)
    if (at[i] != pattern(i, seed))
      bench_wrong(bench, "%s: byte %zu of %zu is %u, not %u", what, i, bytes, at[i],
                  pattern(i, seed));
}

/* ---- pairs ------------------------------------------------------------------------------------ */

void pairs_begin(Pairs* pairs, const Bench* bench, const char* mode, long count,
                 const char* comms) {
  const int threads = is(mode, "threads");
  const int ranks = threads ? 2 : 2 * (int)count;
  bench_require(bench, bench->ranks == ranks,
                "%ld pairs of %s want %d ranks, and there are %d (mpiexec -n %d)", count, mode,
                ranks, bench->ranks, ranks);
  bench_require(bench, threads || is(comms, "shared"), "--comms own is for --mode threads");
  pairs->pairs = (int)count;
  pairs->threads = threads ? (int)count : 0;
  pairs->own = is(comms, "own");
  for (int i = 0; pairs->own && i < count; i++) MPI_Comm_dup(MPI_COMM_WORLD, &pairs->comm[i]);
}

Side pairs_side(const Pairs* pairs, const Member* member) {
  Side side = {.comm = MPI_COMM_WORLD};
  const int rank = member->bench->rank;
  if (pairs->threads) {
    side.index = member->thread;
    side.peer = 1 - rank;
    side.first = rank == 0;
  } else {
    side.first = rank < pairs->pairs;
    side.index = side.first ? rank : rank - pairs->pairs;
    side.peer = side.first ? rank + pairs->pairs : side.index;
  }
  if (pairs->own) side.comm = pairs->comm[side.index];
  return side;
}

void pairs_end(Pairs* pairs) {
  for (int i = 0; pairs->own && i < pairs->pairs; i++) MPI_Comm_free(&pairs->comm[i]);
}
