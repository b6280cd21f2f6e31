/* overlap - does communication go on while a rank computes?
 * A step is: receive from both neighbours in a ring and send to both, compute, wait. Its time is
 * compared with that of communication alone and computation alone, which take about as long. With
 * `--helper thread` a second thread of each rank is blocked in MPI_Recv all the time, which makes
 * many libraries progress. */
#include "common.h"

enum { NEIGHBOURS = 2, FIELD = 4096, STOP_TAG = 7, TURNS = 5 };

static const char* helper = "none";
static long size = 1048576;

typedef struct {
  int communicate;
  long sweeps; /* of computation in a step */
  int peer[NEIGHBOURS];
  char *out[NEIGHBOURS], *in[NEIGHBOURS];
  double field[FIELD];
} Step;

static void compute(Step* step) {
  double* x = step->field;
  for (long sweep = 0; sweep < step->sweeps; sweep++)
    for (int i = 1; i + 1 < FIELD; i++) x[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

static void steps(Member* member, long iterations, void* argument) {
  Step* s = argument;
  MPI_Request requests[2 * NEIGHBOURS];
  (void)member;
  for (long i = 0; i < iterations; i++) {
    for (int n = 0; s->communicate && n < NEIGHBOURS; n++) {
      /* What goes to the left arrives from the right: the tag is the direction. */
      MPI_Irecv(s->in[n], (int)size, MPI_BYTE, s->peer[n], 1 - n, MPI_COMM_WORLD, &requests[n]);
      MPI_Isend(s->out[n], (int)size, MPI_BYTE, s->peer[n], n, MPI_COMM_WORLD,
                &requests[NEIGHBOURS + n]);
    }
    compute(s);
    if (s->communicate) MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
  }
}

/* The sweeps that take the given seconds on this rank; the largest number of all ranks. */
static long sweeps_of(Step* step, double seconds, MPI_Comm comm) {
  step->sweeps = 1;
  double took = 0;
  while (took < 2e-3) {
    step->sweeps *= 2;
    const double start = bench_now();
    compute(step);
    took = bench_now() - start;
  }
  long mine = (long)((double)step->sweeps * seconds / took), all;
  if (mine < 1) mine = 1;
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MAX, comm);
  return all;
}

static double median(const Samples* samples) {
  double best = 0; /* no sorting: the smallest value that half of all do not exceed */
  for (int i = 0; i < samples->count; i++) {
    int below = 0;
    for (int j = 0; j < samples->count; j++) below += samples->value[j] <= samples->value[i];
    if (2 * below >= samples->count && (best == 0 || samples->value[i] < best))
      best = samples->value[i];
  }
  return best;
}

/* Seconds of a step, on all ranks. */
static double measure(Member* member, Step* step, int communicate, long sweeps) {
  static Samples samples;
  step->communicate = communicate;
  step->sweeps = sweeps;
  bench_measure(member, steps, step, &samples);
  double middle = member->bench->rank == 0 ? median(&samples) : 0;
  MPI_Bcast(&middle, 1, MPI_DOUBLE, 0, member->bench->control);
  return middle;
}

/* The three take turns, so that what the machine does besides hits them alike. */
static void measure_all(Member* member, Step* step) {
  Bench* bench = member->bench;
  double alone[TURNS], computing[TURNS], both[TURNS], hidden[TURNS];
  bench->seconds /= TURNS;
  const double first = measure(member, step, 1, 0);
  const long sweeps = sweeps_of(step, first, bench->control);
  for (int t = 0; t < TURNS; t++) {
    const double a = measure(member, step, 1, 0), c = measure(member, step, 0, sweeps);
    const double b = measure(member, step, 1, sweeps);
    alone[t] = a * 1e6;
    computing[t] = c * 1e6;
    both[t] = b * 1e6;
    hidden[t] = 100 * (a + c - b) / (a < c ? a : c);
  }
  const struct {
    const char *name, *unit, *better;
    const double* values;
  } figures[] = {{"communication alone", "us", "less", alone},
                 {"computation alone", "us", "less", computing},
                 {"both", "us", "less", both},
                 {"hidden", "%", "more", hidden}};
  for (int f = 0; f < 4; f++)
    bench_figures(member, figures[f].values, TURNS, 0, figures[f].name, figures[f].unit,
                  figures[f].better, "helper=%s size=%ld", helper, size);
}

static void body(Member* member, void* argument) {
  static Step step;
  const Bench* bench = member->bench;
  (void)argument;
  for (int n = 0; n < NEIGHBOURS; n++) {
    step.peer[n] = (bench->rank + (n ? 1 : bench->ranks - 1)) % bench->ranks;
    step.out[n] = bench_memory((size_t)size);
    step.in[n] = bench_memory((size_t)size);
    bench_fill(step.out[n], (size_t)size, (unsigned)(2 * bench->rank + n));
  }
  measure_all(member, &step);
  for (int n = 0; n < NEIGHBOURS; n++) {
    bench_check(bench, step.in[n], (size_t)size, (unsigned)(2 * step.peer[n] + 1 - n), "a message");
    free(step.out[n]);
    free(step.in[n]);
  }
}

static void* wait_for_end(void* argument) {
  MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, STOP_TAG, *(MPI_Comm*)argument, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"helper", CHOICE, &helper, "whether a second thread is blocked in a receive", "none|thread",
       0, 0},
      {"size", NUMBER, &size, "bytes of a message", NULL, 1, 1L << 26}};
  Bench bench;
  bench_options(&bench, argc, argv, "overlap",
                "whether communication goes on while a rank computes (2 ranks or more)",
                WITH_LENGTH(options));
  const int helped = is(helper, "thread");
  bench_begin(&bench, helped ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  bench_require(&bench, bench.ranks >= 2, "wants 2 ranks or more (mpiexec -n 2)");
  pthread_t thread;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  if (helped && pthread_create(&thread, NULL, wait_for_end, &own) != 0)
    bench_wrong(&bench, "there can be no second thread");
  bench_run(&bench, 0, body, NULL);
  if (helped) {
    MPI_Send(NULL, 0, MPI_BYTE, 0, STOP_TAG, own);
    pthread_join(thread, NULL);
  }
  MPI_Comm_free(&own);
  return bench_end(&bench);
}
