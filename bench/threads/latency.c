/* latency - how long does a message take when several pairs talk at the same time?
 * Ping-pongs of `pairs` pairs, of processes or of the threads of two ranks. */
#include "common.h"

static const char *mode = "threads", *comms = "shared", *buffers = "cached";
static long count = 4;
static List sizes = {4, {0, 8, 1024, 65536}};
static Pairs pairs;

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  (void)argument;
  for (int i = 0; i < sizes.count; i++) {
    Exchange exchange;
    exchange_begin(&exchange, &pairs, member, (size_t)sizes.value[i], buffers);
    bench_measure(member, exchange_ping_pong, &exchange, &samples);
    bench_result(member, &samples, AS_TIME, 0.5e6, "half round trip", "us",
                 "mode=%s pairs=%ld comms=%s buffers=%s size=%ld", mode, count, comms, buffers,
                 sizes.value[i]);
    exchange_end(member->bench, &exchange);
  }
}

int main(int argc, char** argv) {
  const Option options[] = {PAIR_OPTIONS(mode, count, comms), SIZES_OPTION(sizes, 0),
                            BUFFERS_OPTION(buffers)};
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
