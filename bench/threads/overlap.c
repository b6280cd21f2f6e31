/* overlap - does communication go on while a rank computes?
 * Each step does three things, each timed: communication alone (receive from the neighbours, send to
 * them, wait), computation alone, and both (receive and send, compute, wait). They take turns, so that
 * what the machine does besides hits them alike, and computation takes about as long as communication.
 * With `--helper thread` a second thread of each rank is blocked all the time in an MPI_Recv of a
 * duplicate of MPI_COMM_WORLD, which makes many libraries progress; a message of its own rank ends it.
 * Neighbour i gets from rank r the message for r + i + 1; no rank is its own neighbour. */
#include "common.h"

enum { MOST = 16, FIELD = 4096, STOP_TAG = 7, PARTS = 3 };

static const char* helper = "none";
static long size = 1048576, neighbours = 4;

static MPI_Comm helped; /* the duplicate */

typedef struct {
  long sweeps; /* of computation in a step */
  int to[MOST], from[MOST];
  Buffers out[MOST], in[MOST];
  double field[FIELD];
} Step;

/* Seconds of communication alone, computation alone, both. */
typedef struct {
  double part[PARTS];
} Times;

static void compute(Step* step) {
  double* x = step->field;
  for (long sweep = 0; sweep < step->sweeps; sweep++)
    for (int i = 1; i + 1 < FIELD; i++) x[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

static void communicate(const Bench* bench, Step* s, int computing) {
  MPI_Request requests[2 * MOST];
  for (int n = 0; n < neighbours; n++)
    MPI_Irecv(s->in[n].base, (int)size, MPI_BYTE, s->from[n], n, MPI_COMM_WORLD, &requests[n]);
  for (int n = 0; n < neighbours; n++)
    MPI_Isend(buffers_next(&s->out[n]), (int)size, MPI_BYTE, s->to[n], n, MPI_COMM_WORLD,
              &requests[neighbours + n]);
  if (computing) compute(s);
  MPI_Waitall(2 * (int)neighbours, requests, MPI_STATUSES_IGNORE);
  for (int n = 0; n < neighbours; n++) buffers_received(bench, &s->in[n]);
}

/* Seconds of a step, of the rank that took longest in each part; on all ranks. */
static Times steps(const Bench* bench, Step* step, long count) {
  Times mine = {0}, all;
  for (long i = 0; i < count; i++)
    for (int part = 0; part < PARTS; part++) {
      MPI_Barrier(bench->control);
      const double start = bench_now();
      if (part == 1)
        compute(step);
      else
        communicate(bench, step, part == 2);
      mine.part[part] += (bench_now() - start) / (double)count;
    }
  MPI_Allreduce(mine.part, all.part, PARTS, MPI_DOUBLE, MPI_MAX, bench->control);
  return all;
}

/* As many sweeps as take what communication takes, by what both have just taken. */
static void balance(Step* step, const Times* t) {
  double factor = t->part[0] / t->part[1];
  if (factor < 0.5) factor = 0.5;
  if (factor > 2) factor = 2;
  step->sweeps = (long)((double)step->sweeps * factor + 0.5);
  if (step->sweeps < 1) step->sweeps = 1;
}

/* Rank 0's clock decides for all. */
static int go_on(const Bench* bench, double until) {
  int more = bench_now() < until;
  MPI_Bcast(&more, 1, MPI_INT, 0, bench->control);
  return more;
}

typedef struct {
  int count;
  double part[PARTS][BENCH_SAMPLES], hidden[BENCH_SAMPLES];
} Found;

static void add(Found* found, const Times* t) {
  const double alone = t->part[0], computing = t->part[1], both = t->part[2];
  for (int p = 0; p < PARTS; p++) found->part[p][found->count] = t->part[p] * 1e6;
  found->hidden[found->count++] =
      100 * (alone + computing - both) / (alone < computing ? alone : computing);
}

static void print(Member* member, const Found* found, long batch) {
  static const char* const kParts[] = {"communication alone", "computation alone", "both"};
  int doubts = 0;
  for (int p = 0; p < PARTS; p++)
    doubts |= bench_doubts(member->bench, found->part[p], found->count);
  for (int p = 0; p < PARTS; p++)
    bench_figures(member,
                  &(Quantity){kParts[p], "us", "less", "median of batches", 0, doubts, batch},
                  found->part[p], found->count, "helper=%s neighbours=%ld size=%ld", helper,
                  neighbours, size);
  bench_figures(member, &(Quantity){"hidden", "%", "more", "median of batches", 0, doubts, batch},
                found->hidden, found->count, "helper=%s neighbours=%ld size=%ld", helper,
                neighbours, size);
}

static void measure(Member* member, Step* step) {
  static Found found;
  const Bench* bench = member->bench;
  Times t;
  step->sweeps = 1;
  const double warm = bench_now() + bench->warmup;
  int trials = 0; /* each can double the sweeps */
  do {
    t = steps(bench, step, 1);
    balance(step, &t);
  } while (++trials < 15 || go_on(bench, warm));
  const double slice = bench->seconds / 20, one = t.part[0] + t.part[1] + t.part[2];
  long batch = one < slice ? (long)(slice / one) : 1;
  MPI_Bcast(&batch, 1, MPI_LONG, 0, bench->control);
  const double start = bench_now();
  do {
    t = steps(bench, step, batch);
    add(&found, &t);
    balance(step, &t);
  } while (found.count < BENCH_SAMPLES &&
           (go_on(bench, start + bench->seconds) ||
            (found.count < bench->fewest && go_on(bench, start + 5 * bench->seconds))));
  print(member, &found, batch);
}

static void communicate_and_compute(Member* member) {
  static Step step;
  const Bench* bench = member->bench;
  const int rank = bench->rank, ranks = bench->ranks;
  for (int n = 0; n < neighbours; n++) {
    const int away = 1 + n % (ranks - 1);
    step.to[n] = (rank + away) % ranks;
    step.from[n] = (rank + ranks - away) % ranks;
    buffers_begin(&step.out[n], (size_t)size, 1, "cached", 1, (unsigned)(MOST * rank + n));
    buffers_begin(&step.in[n], (size_t)size, 1, "cached", 1, (unsigned)(MOST * step.from[n] + n));
    buffers_fill(&step.out[n]);
  }
  measure(member, &step);
  for (int n = 0; n < neighbours; n++) {
    buffers_check(bench, &step.in[n]);
    buffers_end(&step.in[n]);
    buffers_end(&step.out[n]);
  }
}

static void body(Member* member, void* argument) {
  (void)argument;
  const int rank = member->bench->rank;
  if (member->thread == 1) {
    MPI_Recv(NULL, 0, MPI_BYTE, rank, STOP_TAG, helped, MPI_STATUS_IGNORE);
    return;
  }
  communicate_and_compute(member);
  if (is(helper, "thread")) MPI_Send(NULL, 0, MPI_BYTE, rank, STOP_TAG, helped);
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"helper", CHOICE, &helper, "whether a second thread is blocked in a receive", "none|thread",
       0, 0},
      {"neighbours", NUMBER, &neighbours, "ranks to which each sends, and from which it receives",
       NULL, 1, MOST},
      {"size", NUMBER, &size, "bytes of a message", NULL, 1, 1L << 26}};
  Bench bench;
  bench_options(&bench, argc, argv, "overlap",
                "whether communication goes on while a rank computes (2 ranks or more)",
                WITH_LENGTH(options));
  bench_begin(&bench, level_of(is(helper, "thread") ? "threads" : "processes"));
  bench_require(&bench, bench.ranks >= 2, "wants 2 ranks or more (mpiexec -n 2)");
  MPI_Comm_dup(MPI_COMM_WORLD, &helped);
  bench_run(&bench, is(helper, "thread") ? 2 : 0, body, NULL);
  MPI_Comm_free(&helped);
  return bench_end(&bench);
}
