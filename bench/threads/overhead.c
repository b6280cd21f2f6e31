/* overhead - what does a thread level of MPI_Init_thread cost a program that uses one thread?
 * The same ping-pong between the main threads of two ranks; only the level differs between two runs.
 * `--level init`: MPI_Init, which asks for none. */
#include "common.h"

static const char *level = "multiple", *buffers = "cached";
static List sizes = {8, {0, 8, 64, 1024, 8192, 65536, 524288, 1048576}};
static Pairs pair;

static void body(Member* member, void* argument) {
  static Samples samples;
  (void)argument;
  for (int i = 0; i < sizes.count; i++) {
    Exchange exchange;
    exchange_begin(&exchange, &pair, member, (size_t)sizes.value[i], buffers);
    bench_measure(member, exchange_ping_pong, &exchange, &samples);
    bench_result(member, &samples, AS_TIME, 0.5e6, "half round trip", "us",
                 "level=%s buffers=%s size=%ld", level, buffers, sizes.value[i]);
    exchange_end(member->bench, &exchange);
  }
}

static int level_named(const char* name) {
  if (is(name, "init")) return BY_MPI_INIT;
  static const int kLevels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED};
  for (int i = 0; i < 3; i++)
    if (is(name, bench_level_name(kLevels[i]))) return kLevels[i];
  return MPI_THREAD_MULTIPLE;
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"level", CHOICE, &level, "what MPI_Init_thread is asked for, or MPI_Init in its place",
       "init|single|funneled|serialized|multiple", 0, 0},
      SIZES_OPTION(sizes, 0),
      BUFFERS_OPTION(buffers)};
  Bench bench;
  bench_options(&bench, argc, argv, "overhead",
                "what a thread level costs a program that uses one thread (2 ranks)",
                WITH_LENGTH(options));
  bench_begin(&bench, level_named(level));
  bench_require(&bench, bench.ranks == 2, "wants 2 ranks, and there are %d (mpiexec -n 2)",
                bench.ranks);
  pairs_begin(&pair, &bench, "processes", 1, "shared");
  bench_run(&bench, 0, body, NULL);
  pairs_end(&pair);
  return bench_end(&bench);
}
