/* overhead - what does MPI_THREAD_MULTIPLE cost a program that uses one thread?
 * The same ping-pong between the main threads of two ranks; only the level of MPI_Init_thread
 * differs between two runs. */
#include "common.h"

typedef struct {
  long size;
  char *out, *in;
} Message;

static void ping_pong(Member* member, long iterations, void* argument) {
  const Message* m = argument;
  const int peer = 1 - member->bench->rank, size = (int)m->size;
  for (long i = 0; i < iterations; i++) {
    if (peer == 1) {
      MPI_Send(m->out, size, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
      MPI_Recv(m->in, size, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(m->in, size, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(m->out, size, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
  }
}

static const char* level = "multiple";
static List sizes = {8, {0, 8, 64, 1024, 8192, 65536, 524288, 1048576}};

static void body(Member* member, void* argument) {
  static Samples samples;
  (void)argument;
  Bench* bench = member->bench;
  for (int i = 0; i < sizes.count; i++) {
    const size_t size = (size_t)sizes.value[i];
    Message message = {(long)size, bench_memory(size), bench_memory(size)};
    bench_fill(message.out, size, (unsigned)bench->rank);
    bench_measure(member, ping_pong, &message, &samples);
    bench_check(bench, message.in, size, (unsigned)(1 - bench->rank), "a message");
    bench_result(member, &samples, AS_TIME, 0.5e6, "half round trip", "us", "level=%s size=%zu",
                 level, size);
    free(message.out);
    free(message.in);
  }
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"level", CHOICE, &level, "what MPI_Init_thread is asked for", "single|multiple", 0, 0},
      {"sizes", NUMBERS, &sizes, "bytes of a message", NULL, 0, 1L << 26}};
  Bench bench;
  bench_options(&bench, argc, argv, "overhead",
                "what MPI_THREAD_MULTIPLE costs a program that uses one thread (2 ranks)",
                WITH_LENGTH(options));
  bench_begin(&bench, is(level, "single") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE);
  bench_require(&bench, bench.ranks == 2, "wants 2 ranks, and there are %d (mpiexec -n 2)",
                bench.ranks);
  bench_run(&bench, 0, body, NULL);
  return bench_end(&bench);
}
