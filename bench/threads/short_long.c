/* short_long - do long messages hold up short ones?
 *
 *   --senders none       rank 0 -short-> rank 1
 *   --senders processes  rank 0 -long->  rank 2,                        rank 1 -short-> rank 3
 *   --senders threads    rank 0 -long->  rank 1,   a second thread of rank 0 -short-> rank 2
 *
 * Both are one-way and go on for --seconds, one message after the other. A short message's time is
 * that of its MPI_Ssend, which ends when the receiver has begun to receive it. Each one's time is
 * printed, in order: the fairness plot. */
#include "common.h"

enum { STOP_TAG = 1, DATA_TAG, KEPT = 4096, PRINTED = 1000 };

static const char* senders = "threads";
static long long_size = 4194304, short_size = 128;

static int short_sender, short_receiver, long_sender, long_receiver; /* ranks, -1: none */

typedef struct {
  double each[KEPT];    /* seconds of the newest short messages */
  long shorts;          /* short messages */
  double short_seconds; /* of all short messages */
  long longs;           /* long messages */
  double long_seconds;
} Result;

static void send_short(const Bench* bench, Result* result) {
  Buffers out;
  buffers_begin(&out, (size_t)short_size, 1, "cached", 1, 3);
  buffers_fill(&out);
  const double start = bench_now();
  for (;;) {
    char* at = buffers_next(&out);
    const double before = bench_now();
    if (before - start > bench->warmup + bench->seconds && result->shorts >= 1) break;
    MPI_Ssend(at, (int)short_size, MPI_BYTE, short_receiver, DATA_TAG, MPI_COMM_WORLD);
    const double took = bench_now() - before;
    if (before - start < bench->warmup) continue;
    /* When all places are taken, a time replaces the one KEPT messages ago: the newest stay. */
    result->each[result->shorts % KEPT] = took;
    result->shorts++;
    result->short_seconds += took;
  }
  MPI_Send(NULL, 0, MPI_BYTE, short_receiver, STOP_TAG, MPI_COMM_WORLD);
  buffers_end(&out);
}

static void send_long(const Bench* bench, Result* result) {
  Buffers out;
  buffers_begin(&out, (size_t)long_size, 1, "cached", 1, 5);
  buffers_fill(&out);
  const double start = bench_now(), warm = start + bench->warmup;
  do {
    const double before = bench_now();
    MPI_Send(buffers_next(&out), (int)long_size, MPI_BYTE, long_receiver, DATA_TAG, MPI_COMM_WORLD);
    if (before < warm) continue;
    result->longs++;
    result->long_seconds += bench_now() - before;
  } while (bench_now() - warm < bench->seconds || result->longs == 0);
  MPI_Send(NULL, 0, MPI_BYTE, long_receiver, STOP_TAG, MPI_COMM_WORLD);
  buffers_end(&out);
}

static void receive(const Bench* bench, int source, long size, unsigned seed) {
  Buffers in;
  buffers_begin(&in, (size_t)size, 1, "cached", 1, seed);
  for (;;) {
    MPI_Status status;
    MPI_Recv(in.base, (int)size, MPI_BYTE, source, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP_TAG) break;
    buffers_received(bench, &in);
  }
  buffers_check(bench, &in);
  buffers_end(&in);
}

static void body(Member* member, void* argument) {
  const Bench* bench = member->bench;
  Result* result = argument;
  bench_barrier(member);
  if (bench->rank == short_sender && (long_sender != short_sender || member->thread == 1))
    send_short(bench, result);
  else if (bench->rank == long_sender)
    send_long(bench, result);
  else if (bench->rank == short_receiver)
    receive(bench, short_sender, short_size, 3);
  else
    receive(bench, long_sender, long_size, 5);
}

/* With processes the short ones' sender, rank 1, tells rank 0 what it has measured. */
static void collect(const Bench* bench, Result* result) {
  if (short_sender == 0) return;
  double both[2] = {(double)result->shorts, result->short_seconds};
  if (bench->rank == short_sender) {
    MPI_Send(both, 2, MPI_DOUBLE, 0, 0, bench->control);
    MPI_Send(result->each, KEPT, MPI_DOUBLE, 0, 0, bench->control);
  } else if (bench->rank == 0) {
    MPI_Recv(both, 2, MPI_DOUBLE, short_sender, 0, bench->control, MPI_STATUS_IGNORE);
    MPI_Recv(result->each, KEPT, MPI_DOUBLE, short_sender, 0, bench->control, MPI_STATUS_IGNORE);
    result->shorts = (long)both[0];
    result->short_seconds = both[1];
  }
}

static void print_values(Bench* bench, const Quantity* quantity, const double* values, int count) {
  const Member member = {.bench = bench};
  bench_figures(&member, quantity, values, count, "senders=%s size=%ld long=%ld", senders,
                short_size, long_size);
}

static void print(Bench* bench, const Result* result) {
  static double series[KEPT];
  const long kept = result->shorts < KEPT ? result->shorts : KEPT;
  const long oldest = result->shorts - kept;
  const int flags = kept < bench->fewest ? FLAG_FEW : 0;
  for (long i = 0; i < kept; i++) series[i] = result->each[(oldest + i) % KEPT] * 1e6;
  print_values(bench, &(Quantity){"short message", "us", "less", "median", 0, flags, 0}, series,
               (int)kept);
  print_values(bench, &(Quantity){"each short message", "us", "less", "median", 1, flags, 0},
               series, kept < PRINTED ? (int)kept : PRINTED);
  const double mean = result->short_seconds / (double)result->shorts * 1e6;
  print_values(bench, &(Quantity){"short message, mean", "us", "less", "mean", 0, flags, 0}, &mean,
               1);
  if (is(senders, "none")) return;
  const double rate = 1e-9 * (double)result->longs * (double)long_size / result->long_seconds;
  print_values(bench, &(Quantity){"long bandwidth", "GB/s", "more", "mean", 0, 0, 0}, &rate, 1);
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"senders", CHOICE, &senders, "which members send the long messages beside the short ones",
       "none|processes|threads", 0, 0},
      {"long", NUMBER, &long_size, "bytes of a long message", NULL, 1, 1L << 28},
      {"short", NUMBER, &short_size, "bytes of a short message", NULL, 0, 65536}};
  static Result result;
  Bench bench;
  bench_options(&bench, argc, argv, "short_long", "whether long messages hold up short ones",
                WITH_LENGTH(options));
  bench_begin(&bench, level_of(senders));
  const int threads = is(senders, "threads"), none = is(senders, "none");
  const int ranks = threads ? 3 : none ? 2 : 4;
  bench_require(&bench, bench.ranks == ranks,
                "--senders %s wants %d ranks, and there are %d (mpiexec -n %d)", senders, ranks,
                bench.ranks, ranks);
  short_sender = threads || none ? 0 : 1;
  short_receiver = threads ? 2 : none ? 1 : 3;
  long_sender = none ? -1 : 0;
  long_receiver = none ? -1 : threads ? 1 : 2;
  bench_run(&bench, threads && bench.rank == 0 ? 2 : 0, body, &result);
  collect(&bench, &result);
  if (bench.rank == 0) print(&bench, &result);
  return bench_end(&bench);
}
