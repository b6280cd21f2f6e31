/* bandwidth - how much do several pairs move together?
 * One side of each pair sends windows of messages, the other answers each window with an empty
 * message; with `--direction both` both sides send windows, and need no answer. Pairs of processes,
 * or of the threads of two ranks. */
#include "common.h"

enum { LARGEST_WINDOW = 1024 };

static const char *mode = "threads", *comms = "shared", *buffers = "cached", *direction = "one";
static long count = 4, window = 8;
static List sizes = {5, {1024, 16384, 65536, 262144, 1048576}};
static Pairs pairs;

typedef struct {
  Side side;
  int sends, receives;
  Buffers out, in;
} Stream;

static void answer(const Stream* s) {
  if (s->sends)
    MPI_Recv(NULL, 0, MPI_BYTE, s->side.peer, s->side.index, s->side.comm, MPI_STATUS_IGNORE);
  else
    MPI_Send(NULL, 0, MPI_BYTE, s->side.peer, s->side.index, s->side.comm);
}

static void stream(Member* member, long iterations, void* argument) {
  Stream* s = argument;
  const Side side = s->side;
  MPI_Request requests[2 * LARGEST_WINDOW];
  for (long i = 0; i < iterations; i++) {
    int started = 0;
    for (long w = 0; s->receives && w < window; w++)
      MPI_Irecv(buffers_slot(&s->in, s->in.number + (unsigned)w), (int)s->in.size, MPI_BYTE,
                side.peer, side.index, side.comm, &requests[started++]);
    for (long w = 0; s->sends && w < window; w++)
      MPI_Isend(buffers_next(&s->out), (int)s->out.size, MPI_BYTE, side.peer, side.index, side.comm,
                &requests[started++]);
    MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    for (long w = 0; s->receives && w < window; w++) buffers_received(member->bench, &s->in);
    if (s->sends != s->receives) answer(s);
  }
}

static void measure_size(Member* member, size_t size) {
  static Samples samples; /* touched by the first member only */
  const Side side = pairs_side(&pairs, member);
  const int both = is(direction, "both");
  const unsigned seed = 2 * (unsigned)side.index;
  Stream all = {.side = side, .sends = both || side.first, .receives = both || !side.first};
  if (all.sends)
    buffers_begin(&all.out, size, (unsigned)window, buffers, 4 * (int)count, seed + !!side.first);
  if (all.receives)
    buffers_begin(&all.in, size, (unsigned)window, buffers, 4 * (int)count, seed + !side.first);
  buffers_fill(&all.out);
  member->rated = all.sends;
  bench_measure(member, stream, &all, &samples);
  buffers_check(member->bench, &all.in);
  const double gigabytes = 1e-9 * (double)window * (double)size;
  const char* const kParameters =
      "mode=%s pairs=%ld comms=%s direction=%s window=%ld buffers=%s size=%zu";
  char parameters[256];
  snprintf(parameters, sizeof parameters, kParameters, mode, count, comms, direction, window,
           buffers, size);
  bench_result(member, &samples, AS_RATE, gigabytes * (double)count * (both ? 2 : 1), "bandwidth",
               "GB/s", "%s", parameters);
  bench_result(member, &samples, AS_SUM_OF_RATES, gigabytes, "bandwidth, sum of pairs", "GB/s",
               "%s", parameters);
  buffers_end(&all.out);
  buffers_end(&all.in);
}

static void body(Member* member, void* argument) {
  (void)argument;
  for (int i = 0; i < sizes.count; i++) measure_size(member, (size_t)sizes.value[i]);
}

int main(int argc, char** argv) {
  const Option options[] = {
      PAIR_OPTIONS(mode, count, comms),
      SIZES_OPTION(sizes, 1),
      {"direction", CHOICE, &direction, "one side of each pair sends, or both at once", "one|both",
       0, 0},
      {"window", NUMBER, &window, "messages that are under way at once", NULL, 1, LARGEST_WINDOW},
      BUFFERS_OPTION(buffers)};
  Bench bench;
  bench_options(&bench, argc, argv, "bandwidth",
                "how many bytes a second several pairs move together", WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  pairs_begin(&pairs, &bench, mode, count, comms);
  bench_run(&bench, pairs.threads, body, NULL);
  pairs_end(&pairs);
  return bench_end(&bench);
}
