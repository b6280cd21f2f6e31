/* message_rate - how many messages a second do several senders send?
 * Each sender waits for an answer after every window. With as many receivers as senders, sender i
 * and receiver i are a pair; with fewer, a receiver serves several senders in turn, and with more,
 * a sender serves several receivers in turn. Each such link has a tag of its own:
 *
 *   3 senders, 2 receivers: links 0-0, 1-1, 2-0        2 senders, 3 receivers: links 0-0, 1-1, 0-2
 */
#include "common.h"

static const char *mode = "threads", *comms = "shared";
static long senders = 4, receivers = 0, window = 256, size = 0;

static int links;
static MPI_Comm comm[BENCH_THREADS];

typedef struct {
  int index, step, peer_base, peer_count; /* its links are index, index + step, ... */
  int sends;
  Buffers buffers[BENCH_THREADS]; /* by link */
} End;

/* The rank at the other end of a link. */
static int peer_of(const End* end, int link) {
  return end->peer_base + (is(mode, "threads") ? 0 : link % end->peer_count);
}

static End* end_of(const Member* member) {
  const int rank = member->bench->rank, threads = is(mode, "threads");
  End* end = bench_memory(sizeof *end);
  end->sends = threads ? rank == 0 : rank < senders;
  end->step = (int)(end->sends ? senders : receivers);
  end->index = threads ? member->thread : end->sends ? rank : rank - (int)senders;
  end->peer_base = threads ? 1 - rank : end->sends ? (int)senders : 0;
  end->peer_count = (int)(end->sends ? receivers : senders);
  for (int l = end->index; l < links; l += end->step) {
    buffers_begin(&end->buffers[l], (size_t)size, 1, "cached", 1, (unsigned)l);
    if (end->sends) buffers_fill(&end->buffers[l]);
  }
  return end;
}

static void send_window(End* end) {
  for (long w = 0; w < window; w++)
    for (int l = end->index; l < links; l += end->step)
      MPI_Send(buffers_next(&end->buffers[l]), (int)size, MPI_BYTE, peer_of(end, l), l, comm[l]);
  for (int l = end->index; l < links; l += end->step)
    MPI_Recv(NULL, 0, MPI_BYTE, peer_of(end, l), l, comm[l], MPI_STATUS_IGNORE);
}

static void receive_window(const Bench* bench, End* end) {
  MPI_Status status;
  for (long w = 0; w < window; w++)
    for (int l = end->index; l < links; l += end->step) {
      MPI_Recv(end->buffers[l].base, (int)size, MPI_BYTE, peer_of(end, l), l, comm[l], &status);
      buffers_received(bench, &end->buffers[l]);
    }
  int bytes; /* empty messages have no number: at least the last one is what was sent */
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (bytes != size) bench_wrong(bench, "got %d bytes, not %ld", bytes, size);
  for (int l = end->index; l < links; l += end->step)
    MPI_Send(NULL, 0, MPI_BYTE, peer_of(end, l), l, comm[l]);
}

static void windows(Member* member, long iterations, void* argument) {
  End* end = argument;
  for (long i = 0; i < iterations; i++) {
    if (end->sends)
      send_window(end);
    else
      receive_window(member->bench, end);
  }
}

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  End* end = end_of(member);
  (void)argument;
  member->rated = 0;
  for (int l = end->index; end->sends && l < links; l += end->step) member->rated++;
  bench_measure(member, windows, end, &samples);
  char parameters[256];
  snprintf(parameters, sizeof parameters,
           "mode=%s pairs=%ld receivers=%ld comms=%s window=%ld size=%ld", mode, senders, receivers,
           comms, window, size);
  bench_result(member, &samples, AS_RATE, (double)window * links, "message rate", "messages/s",
               "%s", parameters);
  bench_result(member, &samples, AS_SUM_OF_RATES, (double)window, "message rate, sum of pairs",
               "messages/s", "%s", parameters);
  for (int l = end->index; l < links; l += end->step) {
    if (!end->sends) buffers_check(member->bench, &end->buffers[l]);
    buffers_end(&end->buffers[l]);
  }
  free(end);
}

int main(int argc, char** argv) {
  const Option options[] = {
      MODE_OPTION(mode),
      {"pairs", NUMBER, &senders, "how many send at the same time", NULL, 1, BENCH_THREADS},
      {"receivers", NUMBER, &receivers, "how many receive; 0: as many as send", NULL, 0,
       BENCH_THREADS},
      {"comms", CHOICE, &comms, "threads: one communicator for all, or one for each link",
       "shared|own", 0, 0},
      {"window", NUMBER, &window, "messages before an answer", NULL, 1, 1000000},
      {"size", NUMBER, &size, "bytes of a message", NULL, 0, 1L << 20}};
  Bench bench;
  bench_options(&bench, argc, argv, "message_rate",
                "how many messages a second several senders send", WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  if (receivers == 0) receivers = senders;
  links = (int)(senders > receivers ? senders : receivers);
  const int threads = is(mode, "threads"), own = is(comms, "own");
  const long ranks = threads ? 2 : senders + receivers;
  bench_require(
      &bench, bench.ranks == ranks,
      "%ld senders and %ld receivers, %s, want %ld ranks, and there are %d (mpiexec -n %ld)",
      senders, receivers, mode, ranks, bench.ranks, ranks);
  bench_require(&bench, threads || !own, "--comms own is for --mode threads");
  for (int l = 0; l < links; l++) {
    comm[l] = MPI_COMM_WORLD;
    if (own) MPI_Comm_dup(MPI_COMM_WORLD, &comm[l]);
  }
  bench_run(&bench, threads ? (int)(bench.rank == 0 ? senders : receivers) : 0, body, NULL);
  for (int l = 0; own && l < links; l++) MPI_Comm_free(&comm[l]);
  return bench_end(&bench);
}
