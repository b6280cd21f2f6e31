/* A program of bench/threads whose clock is its own: work takes what --case says. It shows which points
 * are measured again, and which are flagged. Built with -Dclock_gettime=pretended_clock. */
#include <time.h>

#include "common.h"

static const char* kind = "steady";
static double now = 1000; /* seconds */
static long calls;

int pretended_clock(clockid_t clock, struct timespec* t);

int pretended_clock(clockid_t clock, struct timespec* t) {
  (void)clock;
  t->tv_sec = (time_t)now;
  t->tv_nsec = (long)((now - (double)t->tv_sec) * 1e9);
  return 0;
}

/* Seconds of an iteration in the present batch. */
static double cost(void) {
  const int odd = calls % 2 != 0;
  if (is(kind, "slow")) return 1;
  if (is(kind, "modes")) return odd ? 2e-6 : 1e-6;
  if (is(kind, "once")) return odd && now < 1000.52 ? 2e-6 : 1e-6;
  if (is(kind, "outliers")) return calls % 8 == 0 ? 5e-6 : 1e-6;
  return 1e-6;
}

static void work(Member* member, long iterations, void* argument) {
  (void)member, (void)argument;
  const double cold = is(kind, "cold") && calls == 0 ? 1 : 0;
  now += cold + (double)iterations * cost();
  calls++;
}

static void body(Member* member, void* argument) {
  static Samples samples;
  (void)argument;
  bench_measure(member, work, NULL, &samples);
  bench_result(member, &samples, AS_TIME, 1e6, "work", "us", "case=%s", kind);
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"case", CHOICE, &kind, "what work takes", "steady|modes|once|outliers|slow|cold", 0, 0}};
  Bench bench;
  bench_options(&bench, argc, argv, "doubtful", "shows which points are believed",
                WITH_LENGTH(options));
  bench_begin(&bench, MPI_THREAD_SINGLE);
  bench_run(&bench, 0, body, NULL);
  return bench_end(&bench);
}
