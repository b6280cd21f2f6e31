/* oversubscription - what remains of the cores when there are more threads than cores?
 * Pairs of processes, or of the threads of two ranks, send a message to and fro; each side computes
 * for `work` microseconds before it answers. If waiting cost nothing, the computation of one pair
 * would fill one core, and that of two pairs or more two cores, however many they are. */
#include "common.h"

enum { FIELD = 1024, BYTES = 64 };

static const char *mode = "threads", *comms = "shared";
static long count = 4, work = 10, cores = 0;
static double sweeps; /* that take `work` microseconds */
static Pairs pairs;

typedef struct {
  Exchange talk;
  double field[FIELD];
} Player;

static void compute(double* x, long times) {
  for (long t = 0; t < times; t++)
    for (int i = 1; i + 1 < FIELD; i++) x[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

/* The fewest seconds that a sweep has taken: other work on the machine only adds. */
static double seconds_of_sweep(void) {
  enum { TRIALS = 20, TIMES = 100 };
  static double field[FIELD];
  double best = 1;
  for (int trial = 0; trial < TRIALS; trial++) {
    const double start = bench_now();
    compute(field, TIMES);
    const double took = (bench_now() - start) / TIMES;
    if (took < best) best = took;
  }
  return best;
}

static void play(Member* member, long iterations, void* argument) {
  Player* p = argument;
  Exchange* e = &p->talk;
  for (long i = 0; i < iterations; i++) {
    if (e->side.first) {
      compute(p->field, (long)sweeps);
      exchange_send(e);
    }
    exchange_receive(member->bench, e);
    if (!e->side.first) {
      compute(p->field, (long)sweeps);
      exchange_send(e);
    }
  }
}

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  Player* player = bench_memory(sizeof *player);
  (void)argument;
  exchange_begin(&player->talk, &pairs, member, BYTES, "cached");
  bench_measure(member, play, player, &samples);
  bench_result(member, &samples, AS_RATE, (double)count, "exchanges", "1/s",
               "mode=%s pairs=%ld work=%ld", mode, count, work);
  /* Seconds of computation in a second, of all cores, or of the one that a single pair can fill. */
  const long all = cores ? cores : member->bench->cores;
  const double usable = (double)(count < all ? count : all);
  bench_result(member, &samples, AS_RATE, 100 * 2e-6 * (double)(work * count) / usable,
               "computing share of the cores", "%", "mode=%s pairs=%ld work=%ld", mode, count,
               work);
  exchange_end(member->bench, &player->talk);
  free(player);
}

int main(int argc, char** argv) {
  const Option options[] = {
      PAIR_OPTIONS(mode, count, comms),
      {"work", NUMBER, &work, "microseconds of computation before each message", NULL, 1, 1000000},
      {"cores", NUMBER, &cores, "cores that the job may use; 0: those of its affinity", NULL, 0,
       65536}};
  Bench bench;
  bench_options(&bench, argc, argv, "oversubscription",
                "what remains of the cores when there are more threads than cores",
                WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  pairs_begin(&pairs, &bench, mode, count, comms);
  sweeps = (double)work * 1e-6 / seconds_of_sweep();
  MPI_Bcast(&sweeps, 1, MPI_DOUBLE, 0, bench.control);
  if (sweeps < 1) sweeps = 1;
  bench_run(&bench, pairs.threads, body, NULL);
  pairs_end(&pairs);
  return bench_end(&bench);
}
