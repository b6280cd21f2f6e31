/* measure.c - runs the members of a rank and times them together; see common.h. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

enum { SLICES = 20, PATIENCE = 5 };

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- members ---------------------------------------------------------------------------------- */

/* What a member has measured of one batch. */
typedef struct {
  double seconds, preempted; /* how often the system took its core away */
  int rated;
} Took;

/* The members of one rank. What is not the barrier's is written by member 0 and read by the others
 * between two of its barriers; `took` is written by each and read by member 0. */
struct Team {
  int threads; /* at least 1 */
  pthread_barrier_t barrier;
  long iterations;
  Took took[BENCH_THREADS];
};

typedef struct {
  Member member;
  Body* body;
  void* argument;
} Start;

static void* enter(void* argument) {
  Start* start = argument;
  binding_apply(start->member.bench, start->member.thread);
  start->body(&start->member, start->argument);
  return NULL;
}

void bench_run(Bench* bench, int threads, Body* body, void* argument) {
  Team team = {.threads = threads > 0 ? threads : 1};
  Start starts[BENCH_THREADS];
  pthread_t ids[BENCH_THREADS];
  binding_plan(bench, threads);
  pthread_barrier_init(&team.barrier, NULL, (unsigned)team.threads);
  for (int i = 0; i < team.threads; i++) starts[i] = (Start){{bench, &team, i, 1}, body, argument};
  for (int i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, enter, &starts[i]) != 0)
      bench_wrong(bench, "there can be no %d threads", threads);
  if (threads == 0) enter(&starts[0]);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  pthread_barrier_destroy(&team.barrier);
}

void bench_team_barrier(Member* member) {
  if (member->team->threads > 1) pthread_barrier_wait(&member->team->barrier);
}

void bench_barrier(Member* member) {
  bench_team_barrier(member);
  if (member->thread == 0) MPI_Barrier(member->bench->control);
  bench_team_barrier(member);
}

/* ---- is a point to be believed? ----------------------------------------------------------------- */

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double* sorted_copy(const double* values, int count) {
  double* sorted = malloc((size_t)count * sizeof *sorted);
  if (!sorted) abort();
  memcpy(sorted, values, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  return sorted;
}

double bench_median(const double* values, int count) {
  double* sorted = sorted_copy(values, count);
  const double middle = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
  free(sorted);
  return middle;
}

/* A wide gap between neighbours, with a fifth of the samples and three of them at least on either
 * side: they are of two kinds. */
static int has_two_modes(const double* values, int count) {
  const double wide = 1.3;
  const int fewest = count / 5 > 3 ? count / 5 : 3;
  double* sorted = sorted_copy(values, count);
  int found = 0;
  for (int i = fewest; i <= count - fewest; i++) found |= sorted[i] > wide * sorted[i - 1];
  free(sorted);
  return found;
}

int bench_doubts(const Bench* bench, const double* values, int count) {
  return (has_two_modes(values, count) ? FLAG_TWO_MODES : 0) |
         (count < bench->fewest ? FLAG_FEW : 0);
}

static double spread(const Samples* samples) {
  double* sorted = sorted_copy(samples->value, samples->count);
  const double ratio = sorted[samples->count * 3 / 4] / sorted[samples->count / 4];
  free(sorted);
  return ratio;
}

/* ---- measuring -------------------------------------------------------------------------------- */

/* What rank 0 has seen of a point so far. */
typedef struct {
  double warm;      /* seconds of trials */
  double spent;     /* seconds in samples */
  double preempted; /* of the member that suffered most in each sample */
  int sampling;     /* the number of iterations has been found */
  Samples* before;  /* the better of the earlier attempts, or null */
} Progress;

static long warm_up(const Bench* bench, Progress* progress, long iterations, double took) {
  const double slice = bench->seconds / SLICES;
  progress->warm += took;
  if (took < slice / 2 && iterations < (1L << 30)) return iterations * 2;
  if (progress->warm < (bench->measured ? bench->warmup / 5 : bench->warmup)) return iterations;
  progress->sampling = 1;
  const double one = took / (double)iterations;
  return one < slice ? (long)(slice / one) : 1;
}

/* Preempted at least every second iteration, for at least a fraction of a millisecond: the time
 * slices of the scheduler are measured, not the library. A yield is much shorter. */
static int is_slices(const Samples* samples, const Progress* progress) {
  const double iterations = (double)samples->batch * samples->count;
  return progress->spent > 0.5e-3 * iterations && progress->preempted > 0.5 * iterations &&
         progress->spent > 0.3e-3 * progress->preempted;
}

/* The attempt is over: 0, or the iterations of the next attempt. */
static long judge(const Bench* bench, Progress* progress, Samples* samples) {
  Samples* before = progress->before;
  samples->flags = (is_slices(samples, progress) ? FLAG_SLICES : 0) |
                   bench_doubts(bench, samples->value, samples->count);
  const int doubtful = samples->flags & (FLAG_SLICES | FLAG_TWO_MODES);
  const int attempts = samples->repeats;
  if (before && doubtful && spread(before) < spread(samples)) *samples = *before;
  samples->repeats = attempts;
  if (!doubtful || attempts >= bench->repeats || bench->strands > bench->cores) return 0;
  if (!before) before = progress->before = malloc(sizeof *before);
  if (!before) return 0;
  *before = *samples;
  samples->count = 0;
  samples->repeats++;
  progress->spent = progress->preempted = 0;
  return samples->batch;
}

typedef struct {
  double seconds, preempted, rate; /* largest, largest, sum */
} Batch;

/* The iterations of the next batch, or 0 when there are enough samples. */
static long decide(const Bench* bench, Progress* progress, long iterations, const Batch* batch,
                   Samples* samples) {
  if (!progress->sampling) return warm_up(bench, progress, iterations, batch->seconds);
  const double slice = bench->seconds / SLICES;
  if (batch->seconds < slice / 8 &&
      iterations < (1L << 30)) { /* the trials were slow by accident */
    samples->count = 0;
    progress->spent = progress->preempted = 0;
    return iterations * 4;
  }
  samples->batch = iterations;
  samples->rate[samples->count] = batch->rate * (double)iterations;
  bench_add(samples, batch->seconds / (double)iterations);
  progress->spent += batch->seconds;
  progress->preempted += batch->preempted;
  const int enough = progress->spent >= bench->seconds && samples->count >= bench->fewest;
  const int patient = progress->spent < PATIENCE * bench->seconds;
  if (samples->count < BENCH_SAMPLES && !enough && patient) return iterations;
  return judge(bench, progress, samples);
}

/* Of all members of all ranks, on rank 0. */
static Batch gather(const Bench* bench, const Team* team) {
  double mine[2] = {0, 0}, all[2] = {0, 0};
  Batch batch = {0};
  double rate = 0;
  for (int i = 0; i < team->threads; i++) {
    const Took* took = &team->took[i];
    if (took->seconds > mine[0]) mine[0] = took->seconds;
    if (took->preempted > mine[1]) mine[1] = took->preempted;
    if (took->rated) rate += 1 / took->seconds;
  }
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, bench->control);
  MPI_Reduce(&rate, &batch.rate, 1, MPI_DOUBLE, MPI_SUM, 0, bench->control);
  batch.seconds = all[0];
  batch.preempted = all[1];
  return batch;
}

// Of the kernel thread, asked of the kernel itself: an MPI whose ranks are threads may answer getrusage by what
// it measures at each switch from then on, and that would cost what is measured here.
static double preemptions(void) {
  struct rusage used;
  return syscall(SYS_getrusage, RUSAGE_THREAD, &used) == 0 ? (double)used.ru_nivcsw : 0;
}

void bench_measure(Member* member, Work* work, void* argument, Samples* samples) {
  Bench* bench = member->bench;
  Team* team = member->team;
  Progress progress = {0};
  if (member->thread == 0) {
    samples->count = samples->flags = samples->repeats = 0;
    team->iterations = 1;
  }
  for (;;) {
    bench_barrier(member);
    const long iterations = team->iterations;
    if (iterations == 0) break;
    const double preempted = preemptions(), start = bench_now();
    work(member, iterations, argument);
    const double seconds = bench_now() - start;
    team->took[member->thread] =
        (Took){seconds > 1e-9 ? seconds : 1e-9, preemptions() - preempted, member->rated};
    bench_team_barrier(member);
    if (member->thread != 0) continue;
    const Batch batch = gather(bench, team);
    long next = 0;
    if (bench->rank == 0) next = decide(bench, &progress, iterations, &batch, samples);
    MPI_Bcast(&next, 1, MPI_LONG, 0, bench->control);
    team->iterations = next;
  }
  bench_team_barrier(member); /* no thread begins the next point while another reads `iterations` */
  if (member->thread == 0) bench->measured++;
  free(progress.before);
}

void bench_add(Samples* samples, double seconds) {
  if (samples->count < BENCH_SAMPLES) samples->value[samples->count++] = seconds;
}
