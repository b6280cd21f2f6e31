/* bandwidth - how much do several pairs move together?
 * One side of each pair sends windows of messages, the other answers each window with an empty
 * message. Pairs of processes, or of the threads of two ranks. */
#include "common.h"

enum { WINDOW = 8 };

typedef struct {
  int size;
  char* buffers; /* WINDOW of them, each of `stride` bytes */
  size_t stride;
  Side side;
} Stream;

static void stream(Member* member, long iterations, void* argument) {
  const Stream* s = argument;
  const Side side = s->side;
  MPI_Request requests[WINDOW];
  (void)member;
  for (long i = 0; i < iterations; i++) {
    for (int w = 0; w < WINDOW; w++) {
      char* buffer = s->buffers + (size_t)w * s->stride;
      if (side.first)
        MPI_Isend(buffer, s->size, MPI_BYTE, side.peer, side.index, side.comm, &requests[w]);
      else
        MPI_Irecv(buffer, s->size, MPI_BYTE, side.peer, side.index, side.comm, &requests[w]);
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (side.first)
      MPI_Recv(NULL, 0, MPI_BYTE, side.peer, side.index, side.comm, MPI_STATUS_IGNORE);
    else
      MPI_Send(NULL, 0, MPI_BYTE, side.peer, side.index, side.comm);
  }
}

static const char *mode = "threads", *comms = "shared";
static long count = 4;
static List sizes = {5, {1024, 16384, 65536, 262144, 1048576}};
static Pairs pairs;

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  const Side side = pairs_side(&pairs, member);
  (void)argument;
  for (int i = 0; i < sizes.count; i++) {
    const size_t size = (size_t)sizes.value[i], stride = (size + 64 + 63) / 64 * 64;
    Stream all = {(int)size, bench_memory(WINDOW * stride), stride, side};
    const unsigned seed = WINDOW * (unsigned)side.index;
    for (unsigned w = 0; side.first && w < WINDOW; w++)
      bench_fill(all.buffers + w * stride, size, seed + w);
    bench_measure(member, stream, &all, &samples);
    for (unsigned w = 0; !side.first && w < WINDOW; w++)
      bench_check(member->bench, all.buffers + w * stride, size, seed + w, "a message");
    bench_result(member, &samples, AS_RATE, 1e-9 * WINDOW * (double)size * (double)count,
                 "bandwidth", "GB/s", "mode=%s pairs=%ld comms=%s size=%zu", mode, count, comms,
                 size);
    free(all.buffers);
  }
}

int main(int argc, char** argv) {
  const Option options[] = {PAIR_OPTIONS(mode, count, comms),
                            {"sizes", NUMBERS, &sizes, "bytes of a message", NULL, 1, 1L << 26}};
  Bench bench;
  bench_options(&bench, argc, argv, "bandwidth",
                "how many bytes a second several pairs move together", WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  pairs_begin(&pairs, &bench, mode, count, comms);
  bench_run(&bench, pairs.threads, body, NULL);
  pairs_end(&pairs);
  return bench_end(&bench);
}
