/* short_long - do long messages hold up short ones?
 *
 *   --senders none       rank 0 <-short-> rank 1
 *   --senders processes  rank 0 <-short-> rank 1,   rank 2 -long-> rank 3
 *   --senders threads    rank 0 <-short-> rank 1,   a second thread of rank 0 -long-> rank 2
 *
 * Both go on for --seconds. Each short round trip's time is printed, in order: the fairness plot. */
#include "common.h"

enum { SHORT_TAG = 1, STOP_TAG, LONG_TAG, KEPT = 4096, PRINTED = 1000 };

static const char* senders = "threads";
static long long_size = 4194304, short_size = 8;

static int long_sender, long_receiver; /* ranks, -1: none */

typedef struct {
  double trip[KEPT]; /* the first ones, seconds */
  long trips, messages;
  double short_seconds, long_seconds;
} Result;

static void send_short(const Bench* bench, Result* result) {
  char out[64], in[64];
  const double start = bench_now();
  double before = start;
  do {
    const unsigned seed = (unsigned)result->trips;
    bench_fill(out, (size_t)short_size, seed);
    before = bench_now();
    MPI_Send(out, (int)short_size, MPI_BYTE, 1, SHORT_TAG, MPI_COMM_WORLD);
    MPI_Recv(in, (int)short_size, MPI_BYTE, 1, SHORT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double took = bench_now() - before;
    bench_check(bench, in, (size_t)short_size, seed, "a short message");
    /* When all places are taken, a trip replaces the one KEPT trips ago: the newest stay. */
    result->trip[result->trips % KEPT] = took;
    result->trips++;
  } while (before - start < bench->seconds);
  result->short_seconds = bench_now() - start;
  MPI_Send(out, 0, MPI_BYTE, 1, STOP_TAG, MPI_COMM_WORLD);
}

static void answer_short(void) {
  char buffer[64];
  MPI_Status status;
  for (;;) {
    MPI_Recv(buffer, (int)short_size, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP_TAG) return;
    MPI_Send(buffer, (int)short_size, MPI_BYTE, 0, SHORT_TAG, MPI_COMM_WORLD);
  }
}

static void send_long(const Bench* bench, Result* result) {
  char* out = bench_memory((size_t)long_size);
  bench_fill(out, (size_t)long_size, 5);
  const double start = bench_now();
  do {
    MPI_Send(out, (int)long_size, MPI_BYTE, long_receiver, LONG_TAG, MPI_COMM_WORLD);
    result->messages++;
  } while (bench_now() - start < bench->seconds);
  result->long_seconds = bench_now() - start;
  MPI_Send(out, 0, MPI_BYTE, long_receiver, STOP_TAG, MPI_COMM_WORLD);
  free(out);
}

static void receive_long(const Bench* bench) {
  char* in = bench_memory((size_t)long_size);
  MPI_Status status;
  do {
    MPI_Recv(in, (int)long_size, MPI_BYTE, long_sender, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  } while (status.MPI_TAG != STOP_TAG);
  bench_check(bench, in, (size_t)long_size, 5, "a long message");
  free(in);
}

static void body(Member* member, void* argument) {
  const Bench* bench = member->bench;
  Result* result = argument;
  bench_barrier(member);
  if (member->thread == 1)
    send_long(bench, result);
  else if (bench->rank == 0)
    send_short(bench, result);
  else if (bench->rank == 1)
    answer_short();
  else if (bench->rank == long_sender)
    send_long(bench, result);
  else
    receive_long(bench);
}

/* The processes' long sender tells rank 0 what it has measured. */
static void collect(const Bench* bench, Result* result) {
  double both[2] = {(double)result->messages, result->long_seconds};
  if (long_sender <= 0) return;
  if (bench->rank == long_sender) MPI_Send(both, 2, MPI_DOUBLE, 0, 0, bench->control);
  if (bench->rank != 0) return;
  MPI_Recv(both, 2, MPI_DOUBLE, long_sender, 0, bench->control, MPI_STATUS_IGNORE);
  result->messages = (long)both[0];
  result->long_seconds = both[1];
}

static void print(Bench* bench, const Result* result) {
  static double series[KEPT];
  const Member member = {bench, NULL, 0};
  const long kept = result->trips < KEPT ? result->trips : KEPT;
  const long oldest = result->trips - kept;
  for (long i = 0; i < kept; i++) series[i] = result->trip[(oldest + i) % KEPT] * 1e6;
  bench_figures(&member, series, (int)kept, 0, "short round trip", "us", "less",
                "senders=%s size=%ld long=%ld", senders, short_size, long_size);
  bench_figures(&member, series, kept < PRINTED ? (int)kept : PRINTED, 1, "each short round trip",
                "us", "less", "senders=%s size=%ld long=%ld", senders, short_size, long_size);
  const double mean = result->short_seconds / (double)result->trips * 1e6;
  bench_figures(&member, &mean, 1, 0, "short round trip, mean", "us", "less",
                "senders=%s size=%ld long=%ld", senders, short_size, long_size);
  if (is(senders, "none")) return;
  const double rate = 1e-9 * (double)result->messages * (double)long_size / result->long_seconds;
  bench_figures(&member, &rate, 1, 0, "long bandwidth", "GB/s", "more",
                "senders=%s size=%ld long=%ld", senders, short_size, long_size);
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"senders", CHOICE, &senders, "who sends the long messages beside the short ones",
       "none|processes|threads", 0, 0},
      {"long", NUMBER, &long_size, "bytes of a long message", NULL, 1, 1L << 28},
      {"short", NUMBER, &short_size, "bytes of a short message", NULL, 0, 64}};
  static Result result;
  Bench bench;
  bench_options(&bench, argc, argv, "short_long", "whether long messages hold up short ones",
                WITH_LENGTH(options));
  bench_begin(&bench, level_of(senders));
  const int threads = is(senders, "threads");
  const int ranks = threads ? 3 : is(senders, "none") ? 2 : 4;
  bench_require(&bench, bench.ranks == ranks,
                "--senders %s wants %d ranks, and there are %d (mpiexec -n %d)", senders, ranks,
                bench.ranks, ranks);
  long_sender = threads ? 0 : is(senders, "none") ? -1 : 2;
  long_receiver = long_sender < 0 ? -1 : threads ? 2 : 3;
  bench_run(&bench, threads ? 1 + (bench.rank == 0) : 0, body, &result);
  collect(&bench, &result);
  print(&bench, &result);
  return bench_end(&bench);
}
