/* message_rate - how many empty messages a second do several pairs send?
 * Each sender waits for an answer after every 256. */
#include "common.h"

static const char *mode = "threads", *comms = "shared";
static long count = 4, window = 256;
static Pairs pairs;

static void send_windows(Member* member, long iterations, void* argument) {
  const Side side = pairs_side(&pairs, member);
  MPI_Status status;
  (void)argument;
  for (long i = 0; i < iterations; i++) {
    if (side.first) {
      for (long w = 0; w < window; w++)
        MPI_Send(NULL, 0, MPI_BYTE, side.peer, side.index, side.comm);
      MPI_Recv(NULL, 0, MPI_BYTE, side.peer, side.index, side.comm, MPI_STATUS_IGNORE);
    } else {
      for (long w = 0; w < window; w++)
        MPI_Recv(NULL, 0, MPI_BYTE, side.peer, side.index, side.comm, &status);
      int bytes;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      if (status.MPI_SOURCE != side.peer || status.MPI_TAG != side.index || bytes != 0)
        bench_wrong(member->bench, "got %d bytes from %d with tag %d, not 0 from %d with %d", bytes,
                    status.MPI_SOURCE, status.MPI_TAG, side.peer, side.index);
      MPI_Send(NULL, 0, MPI_BYTE, side.peer, side.index, side.comm);
    }
  }
}

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  (void)argument;
  bench_measure(member, send_windows, NULL, &samples);
  bench_result(member, &samples, AS_RATE, (double)(window * count), "message rate", "messages/s",
               "mode=%s pairs=%ld comms=%s window=%ld", mode, count, comms, window);
}

int main(int argc, char** argv) {
  const Option options[] = {
      PAIR_OPTIONS(mode, count, comms),
      {"window", NUMBER, &window, "messages before an answer", NULL, 1, 1000000}};
  Bench bench;
  bench_options(&bench, argc, argv, "message_rate",
                "how many empty messages a second several pairs send", WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  pairs_begin(&pairs, &bench, mode, count, comms);
  bench_run(&bench, pairs.threads, body, NULL);
  pairs_end(&pairs);
  return bench_end(&bench);
}
