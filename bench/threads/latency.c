/* latency - how long does a message take when several pairs talk at the same time?
 * Ping-pongs of `pairs` pairs, of processes or of the threads of two ranks. */
#include "common.h"

typedef struct {
  int size;
  char *out, *in;
  Side side;
} Message;

static void ping_pong(Member* member, long iterations, void* argument) {
  const Message* m = argument;
  const Side side = m->side;
  (void)member;
  for (long i = 0; i < iterations; i++) {
    if (side.first) {
      MPI_Send(m->out, m->size, MPI_BYTE, side.peer, side.index, side.comm);
      MPI_Recv(m->in, m->size, MPI_BYTE, side.peer, side.index, side.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(m->in, m->size, MPI_BYTE, side.peer, side.index, side.comm, MPI_STATUS_IGNORE);
      MPI_Send(m->out, m->size, MPI_BYTE, side.peer, side.index, side.comm);
    }
  }
}

static const char *mode = "threads", *comms = "shared";
static long count = 4;
static List sizes = {4, {0, 8, 1024, 65536}};
static Pairs pairs;

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  const Side side = pairs_side(&pairs, member);
  (void)argument;
  for (int i = 0; i < sizes.count; i++) {
    const size_t size = (size_t)sizes.value[i];
    Message message = {(int)size, bench_memory(size), bench_memory(size), side};
    const unsigned seed = 2 * (unsigned)side.index;
    bench_fill(message.out, size, seed + (unsigned)side.first);
    bench_measure(member, ping_pong, &message, &samples);
    bench_check(member->bench, message.in, size, seed + !side.first, "a message");
    bench_result(member, &samples, AS_TIME, 0.5e6, "half round trip", "us",
                 "mode=%s pairs=%ld comms=%s size=%zu", mode, count, comms, size);
    free(message.out);
    free(message.in);
  }
}

int main(int argc, char** argv) {
  const Option options[] = {PAIR_OPTIONS(mode, count, comms),
                            {"sizes", NUMBERS, &sizes, "bytes of a message", NULL, 0, 1L << 26}};
  Bench bench;
  bench_options(&bench, argc, argv, "latency",
                "how long a message takes when several pairs talk at the same time",
                WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  pairs_begin(&pairs, &bench, mode, count, comms);
  bench_run(&bench, pairs.threads, body, NULL);
  pairs_end(&pairs);
  return bench_end(&bench);
}
