/* collective_compute - do threads that compute and a thread in collectives hinder each other?
 * Each rank has p + 1 threads: p compute, and one makes allreduces with those of the other ranks. Each
 * turn has three phases, so that what the machine does besides hits them alike:
 *
 *              thread p                          threads 0 to p - 1
 *   reduce     some allreduces                   wait
 *   both       some allreduces, then a flag      iterations until they see the flag
 *   compute    waits                             as many iterations as in the phase before
 *
 * That is `--form flag`. With `--form timed` each phase lasts as long by the clock instead. A phase takes
 * --seconds, and 0.1 s at least: many time slices of a scheduler, which need not know at once that a
 * thread computes. Half of --samples turns are enough. */
#include <stdatomic.h>

#include "common.h"

enum { FIELD = 1024, SWEEPS = 20, TURNS = 200, PHASES = 3 };

typedef enum { REDUCE, BOTH, COMPUTE } Phase;

static const char* form = "flag";
static long threads = 0, size = 8;

/* What the members of a rank share; members write at their own index. */
static struct {
  atomic_int flag;            /* the allreduces are done */
  long reductions[2];         /* of the phases REDUCE and BOTH, which may differ much in speed */
  double until;               /* --form timed: when the phase ends */
  double rate[BENCH_THREADS]; /* sweeps a second of a computing thread */
  double reduction;           /* seconds of one allreduce, of thread p */
  int more, trial;            /* turns; the present one is none that counts, and has no COMPUTE */
  double begun;               /* when the first sample was begun, on rank 0 */
} shared;

/* Of all turns; on rank 0. */
static struct {
  int count;
  double reduction[PHASES][TURNS], rate[PHASES][TURNS]; /* us, sweeps/s */
} found;

typedef struct {
  long iterations; /* of the phase before */
  double field[FIELD];
} Computer;

typedef struct {
  int elements;
  double *mine, *sum, number;
  MPI_Comm comm;
} Reducer;

static int computing_ends(Phase phase, long done, const Computer* c) {
  if (is(form, "timed")) return bench_now() >= shared.until;
  if (phase == COMPUTE) return done >= c->iterations;
  return atomic_load_explicit(&shared.flag, memory_order_acquire);
}

static void compute(Computer* c, Phase phase, double* rate) {
  long done = 0;
  const double start = bench_now();
  do {
    for (int sweep = 0; sweep < SWEEPS; sweep++)
      for (int i = 1; i + 1 < FIELD; i++)
        c->field[i] = 0.25 * c->field[i - 1] + 0.5 * c->field[i] + 0.25 * c->field[i + 1];
    done++;
  } while (!computing_ends(phase, done, c));
  *rate = (double)(SWEEPS * done) / (bench_now() - start);
  if (phase == BOTH) c->iterations = done;
}

/* Element 0 is the number of the allreduce, element 1 asks for one more: the sum is the same for all. */
static int reduce_once(const Bench* bench, Reducer* r, int more) {
  r->mine[0] = r->number + bench->rank;
  r->mine[1] = bench->rank == 0 && more;
  MPI_Allreduce(r->mine, r->sum, r->elements, MPI_DOUBLE, MPI_SUM, r->comm);
  const double wanted = bench->ranks * (r->number + 0.5 * (bench->ranks - 1));
  if (r->sum[0] != wanted)
    bench_wrong(bench, "element 0 of allreduce %g is %g, not %g", r->number, r->sum[0], wanted);
  r->number++;
  return r->sum[1] != 0;
}

static void reduce(const Bench* bench, Reducer* r, Phase phase) {
  long done = 0;
  int more;
  const double start = bench_now();
  do {
    done++;
    more = is(form, "timed") ? bench_now() < shared.until : done < shared.reductions[phase];
  } while (reduce_once(bench, r, more));
  shared.reduction = (bench_now() - start) / (double)done;
  atomic_store_explicit(&shared.flag, 1, memory_order_release);
}

/* The slowest rank's allreduce, and the mean of the computing threads, on rank 0. */
static void note(const Bench* bench, Phase phase) {
  double slowest = 0, rates = 0, sum = 0;
  for (long i = 0; i < threads; i++) rates += shared.rate[i];
  MPI_Reduce(&shared.reduction, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, bench->control);
  MPI_Reduce(&rates, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, bench->control);
  found.reduction[phase][found.count] = slowest * 1e6;
  found.rate[phase][found.count] = sum / (double)(threads * bench->ranks);
}

static double phase_seconds(const Bench* bench) {
  return bench->seconds > 0.1 ? bench->seconds : 0.1;
}

/* The search for the number of allreduces that take as long as a phase should. */
typedef struct {
  double before; /* seconds of the trial before */
  int found;
} Search;

/* The first allreduces of a phase may be much slower than the others, until a scheduler knows what
 * computes. So try four times as many until that takes longer, and long enough. */
static long next_trial(Search* search, long now, double seconds, double wanted) {
  enum { GROWTH = 4, MOST = 1 << 24 };
  if (search->found) return now;
  const int longer = seconds > wanted && seconds > 1.5 * search->before;
  search->found = longer || seconds > 3 * wanted || now > MOST;
  search->before = seconds;
  if (!search->found) return now * GROWTH;
  const double fitting = (double)now * wanted / seconds;
  return fitting < 1 ? 1 : (long)fitting;
}

/* After a turn, on rank 0: true if the next one needs no other number of allreduces. */
static int plan_reductions(const Bench* bench, long* next) {
  static Search searches[2];
  for (int phase = REDUCE; phase <= BOTH; phase++) {
    const long now = shared.reductions[phase];
    const double seconds = found.reduction[phase][found.count] * 1e-6 * (double)now;
    next[phase] = next_trial(&searches[phase], now, seconds, phase_seconds(bench));
  }
  return is(form, "timed") || (searches[REDUCE].found && searches[BOTH].found);
}

/* After a turn, as rank 0 says: is it a sample, and is there another one? */
static void plan(const Bench* bench, double warm) {
  long next[4] = {1, 1, 1, 1};
  if (bench->rank == 0) {
    const long fewest = (bench->fewest + 1) / 2;
    const double now = bench_now(), most = 5 * (double)fewest * PHASES * phase_seconds(bench);
    const int known = plan_reductions(bench, next);
    next[3] = !known || now < warm;
    if (!shared.trial) found.count++;
    if (shared.trial) shared.begun = now;
    next[2] = found.count < TURNS && found.count < fewest && now - shared.begun < most;
  }
  MPI_Bcast(next, 4, MPI_LONG, 0, bench->control);
  for (int phase = REDUCE; phase <= BOTH; phase++) shared.reductions[phase] = next[phase];
  shared.more = next[2] != 0;
  shared.trial = next[3] != 0;
}

static void turn(Member* member, Computer* computer, Reducer* reducer) {
  const Bench* bench = member->bench;
  const Phase last =
      shared.trial ? BOTH : COMPUTE; /* thread 0 may plan the next turn before others end */
  for (Phase phase = REDUCE; phase <= last; phase++) {
    if (member->thread == 0) atomic_store_explicit(&shared.flag, 0, memory_order_release);
    bench_barrier(member);
    if (member->thread == 0) shared.until = bench_now() + phase_seconds(bench);
    bench_team_barrier(member);
    if (member->thread == threads && phase != COMPUTE)
      reduce(bench, reducer, phase);
    else if (member->thread < threads && phase != REDUCE)
      compute(computer, phase, &shared.rate[member->thread]);
    bench_team_barrier(member);
    if (member->thread == 0) note(bench, phase);
  }
}

static void print_beside(Member* member, Phase phase, const char* what, const char* quantity,
                         const char* unit, const char* better, const double* values) {
  const int few = 2 * found.count < member->bench->fewest ? FLAG_FEW : 0;
  bench_figures(member,
                &(Quantity){quantity, unit, better, "median of batches", 0, few,
                            shared.reductions[phase == REDUCE ? REDUCE : BOTH]},
                values, found.count, "form=%s beside=%s threads=%ld size=%ld", form,
                phase == BOTH ? what : "nothing", threads, size);
}

static void print(Member* member) {
  static double rate[TURNS], kept[2][TURNS];
  const int few = 2 * found.count < member->bench->fewest ? FLAG_FEW : 0;
  static const Phase kReducing[] = {REDUCE, BOTH}, kComputing[] = {COMPUTE, BOTH};
  for (int k = 0; k < 2; k++) {
    const Phase r = kReducing[k], c = kComputing[k];
    for (int i = 0; i < found.count; i++) rate[i] = 1e6 / found.reduction[r][i];
    print_beside(member, r, "computation", "allreduce", "us", "less", found.reduction[r]);
    print_beside(member, r, "computation", "allreduces", "1/s", "more", rate);
    print_beside(member, c, "collectives", "computation rate", "sweeps/s", "more", found.rate[c]);
  }
  for (int i = 0; i < found.count; i++) {
    kept[0][i] = 100 * found.rate[BOTH][i] / found.rate[COMPUTE][i];
    kept[1][i] = 100 * found.reduction[REDUCE][i] / found.reduction[BOTH][i];
  }
  static const char* const kKept[] = {"computation kept", "collectives kept"};
  for (int k = 0; k < 2; k++)
    bench_figures(
        member,
        &(Quantity){kKept[k], "%", "more", "median of batches", 0, few, shared.reductions[BOTH]},
        kept[k], found.count, "form=%s threads=%ld size=%ld", form, threads, size);
}

static void body(Member* member, void* argument) {
  Bench* bench = member->bench;
  Computer* computer = bench_memory(sizeof *computer);
  const int elements = size > 16 ? (int)((size + 7) / 8) : 2;
  const size_t bytes = (size_t)elements * 8;
  Reducer reducer = {elements, bench_memory(bytes), bench_memory(bytes), 0, *(MPI_Comm*)argument};
  const double warm = bench_now() + bench->warmup;
  for (int e = 2; e < elements; e++) reducer.mine[e] = bench->rank + e;
  if (member->thread == 0) {
    shared.more = shared.trial = 1;
    shared.reductions[REDUCE] = shared.reductions[BOTH] = 1;
  }
  bench_barrier(member);
  while (shared.more) {
    turn(member, computer, &reducer);
    if (member->thread == 0) plan(bench, warm);
    bench_barrier(member);
  }
  const double ranks = bench->ranks;
  for (int e = 2; member->thread == threads && e < elements; e++)
    if (reducer.sum[e] != ranks * (ranks - 1) / 2 + ranks * e)
      bench_wrong(bench, "element %d of a sum is %g", e, reducer.sum[e]);
  if (member->thread == 0 && bench->rank == 0) print(member);
  free(reducer.mine);
  free(reducer.sum);
  free(computer);
}

/* A computing thread for each core that a rank of this node has. */
static long all_threads(Bench* bench) {
  int ranks;
  MPI_Comm_size(bench->node, &ranks);
  binding_plan(bench, 1);
  long mine = bench->cores / ranks > 0 ? bench->cores / ranks : 1, least;
  MPI_Allreduce(&mine, &least, 1, MPI_LONG, MPI_MIN, bench->control);
  return least < BENCH_THREADS ? least : BENCH_THREADS - 1;
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"form", CHOICE, &form, "what ends a phase: the allreduces, by a flag, or the clock",
       "flag|timed", 0, 0},
      {"threads", NUMBER, &threads,
       "threads that compute in each rank, beside the one in collectives; 0: one for each core",
       NULL, 0, BENCH_THREADS - 1},
      {"size", NUMBER, &size, "bytes that are reduced (16 at least)", NULL, 1, 1L << 26}};
  Bench bench;
  bench_options(&bench, argc, argv, "collective_compute",
                "whether computing threads and a thread in collectives hinder each other",
                WITH_LENGTH(options));
  bench_begin(&bench, MPI_THREAD_MULTIPLE);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (threads == 0) threads = all_threads(&bench);
  bench_run(&bench, (int)threads + 1, body, &comm);
  MPI_Comm_free(&comm);
  return bench_end(&bench);
}
