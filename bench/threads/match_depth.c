/* match_depth - what does it cost to find a message or a receive in a long queue?
 * Rank 1's queue holds `depth` entries with tags 0, 1, 2...: receives that it has posted, or
 * messages that have not been received yet. `TAKEN` of them are then met, in this order, and timed:
 *
 *   in       the oldest first          reversed  the newest first
 *   random   any                       wildcard  any, by receives with MPI_ANY_SOURCE
 *
 * The others are met afterwards, oldest first and not timed. */
#include "common.h"

enum { TAKEN = 128 };

static const char *queue = "posted", *order = "in";
static List depths = {6, {1, 10, 100, 1000, 10000, 100000}};

typedef struct {
  int depth, taken;
  int* tags;   /* all, in the order in which they are met: the first `taken` are timed */
  int* values; /* by tag: the payload */
  MPI_Request* requests;
} Queue;

static unsigned next_random(unsigned* seed) {
  return *seed = *seed * 1664525u + 1013904223u;
}

static void swap(int* a, int* b) {
  const int kept = *a;
  *a = *b;
  *b = kept;
}

static int ascending(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}

static void choose_order(Queue* q) {
  unsigned seed = 12345;
  for (int i = 0; i < q->depth; i++) q->tags[i] = i;
  if (is(order, "in")) return;
  for (int i = 0; i < q->taken; i++) {
    const unsigned left = (unsigned)(q->depth - i);
    swap(&q->tags[i],
         &q->tags[is(order, "reversed") ? q->depth - 1 - i
                                        : i + (int)((next_random(&seed) >> 8) % left)]);
    /* reversed: half way the ends have already been swapped */
    if (is(order, "reversed") && 2 * (i + 1) >= q->depth) break;
  }
  qsort(q->tags + q->taken, (size_t)(q->depth - q->taken), sizeof *q->tags, ascending);
}

static void fill_by_receives(Queue* q, int source) {
  for (int tag = 0; tag < q->depth; tag++)
    MPI_Irecv(&q->values[tag], 1, MPI_INT, source, tag, MPI_COMM_WORLD, &q->requests[tag]);
}

static void send_tags(const int* tags, int count) {
  for (int i = 0; i < count; i++) MPI_Send(&tags[i], 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD);
}

/* An empty message that is no entry of the queue: its tag is the first that no entry has. */
static void give_sign(const Queue* q, int rank) {
  MPI_Send(NULL, 0, MPI_INT, rank, q->depth, MPI_COMM_WORLD);
}

static void await_sign(const Queue* q, int rank) {
  MPI_Recv(NULL, 0, MPI_INT, rank, q->depth, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double posted(const Bench* bench, Queue* q) {
  const int source = is(order, "wildcard") ? MPI_ANY_SOURCE : 0;
  if (bench->rank == 0) {
    await_sign(q, 1);
    give_sign(q, 1);
    await_sign(q, 1);
    send_tags(q->tags, q->taken);
    await_sign(q, 1);
    send_tags(q->tags + q->taken, q->depth - q->taken);
    return 0;
  }
  fill_by_receives(q, source);
  give_sign(q, 0); /* wakes rank 0, which may have waited for long */
  await_sign(q, 0);
  const double start = bench_now();
  give_sign(q, 0);
  for (int i = 0; i < q->taken; i++) MPI_Wait(&q->requests[q->tags[i]], MPI_STATUS_IGNORE);
  const double took = bench_now() - start;
  give_sign(q, 0);
  for (int i = q->taken; i < q->depth; i++) MPI_Wait(&q->requests[q->tags[i]], MPI_STATUS_IGNORE);
  return took;
}

static double unexpected(const Bench* bench, Queue* q) {
  const int source = is(order, "wildcard") ? MPI_ANY_SOURCE : 0;
  if (bench->rank == 0) {
    await_sign(q, 1);
    for (int tag = 0; tag < q->depth; tag++) {
      q->values[tag] = tag;
      MPI_Isend(&q->values[tag], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &q->requests[tag]);
    }
    give_sign(q, 1);
    MPI_Waitall(q->depth, q->requests, MPI_STATUSES_IGNORE);
    return 0;
  }
  give_sign(q, 0);
  await_sign(q, 0); /* the last one: all others have arrived */
  double took = 0;
  const double start = bench_now();
  for (int i = 0; i < q->depth; i++) {
    if (i == q->taken) took = bench_now() - start;
    const int tag = q->tags[i];
    MPI_Recv(&q->values[tag], 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return q->taken == q->depth ? bench_now() - start : took;
}

/* One filling and emptying of the queue; the seconds of the timed part, on rank 0. */
static double once(const Bench* bench, Queue* q) {
  for (int tag = 0; tag < q->depth; tag++) q->values[tag] = -1;
  double took = is(queue, "posted") ? posted(bench, q) : unexpected(bench, q);
  for (int tag = 0; bench->rank == 1 && tag < q->depth; tag++)
    if (q->values[tag] != tag)
      bench_wrong(bench, "the message with tag %d brought %d", tag, q->values[tag]);
  if (bench->rank == 1) MPI_Send(&took, 1, MPI_DOUBLE, 0, 0, bench->control);
  if (bench->rank == 0) MPI_Recv(&took, 1, MPI_DOUBLE, 1, 0, bench->control, MPI_STATUS_IGNORE);
  return took;
}

/* Rank 0 decides for both. */
static int go_on(const Bench* bench, int more) {
  MPI_Bcast(&more, 1, MPI_INT, 0, bench->control);
  return more;
}

static void measure_depth(Member* member, int depth) {
  static Samples samples;
  Bench* bench = member->bench;
  const size_t ints = sizeof(int) * (size_t)depth;
  Queue q = {depth, depth < TAKEN ? depth : TAKEN, bench_memory(ints), bench_memory(ints),
             bench_memory(sizeof(MPI_Request) * (size_t)depth)};
  choose_order(&q);
  const double warm = bench_now() + (bench->measured++ ? bench->warmup / 5 : bench->warmup);
  do once(bench, &q);
  while (go_on(bench, bench_now() < warm));
  samples = (Samples){.batch = q.taken};
  const double start = bench_now();
  double spent;
  do {
    bench_add(&samples, once(bench, &q) / q.taken);
    spent = bench_now() - start;
  } while (go_on(bench, samples.count < BENCH_SAMPLES &&
                            (spent < bench->seconds ||
                             (samples.count < bench->fewest && spent < 5 * bench->seconds))));
  samples.flags = bench_doubts(bench, samples.value, samples.count);
  bench_result(member, &samples, AS_TIME, 1e6, "time of a match", "us",
               "queue=%s order=%s depth=%d", queue, order, depth);
  free(q.tags);
  free(q.values);
  free(q.requests);
}

static void body(Member* member, void* argument) {
  (void)argument;
  for (int i = 0; i < depths.count; i++) measure_depth(member, (int)depths.value[i]);
}

static int largest_tag(void) {
  int *value, found;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  return found ? *value : 32767;
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"queue", CHOICE, &queue, "what the queue holds", "posted|unexpected", 0, 0},
      {"order", CHOICE, &order, "which entries are met first", "in|reversed|random|wildcard", 0, 0},
      {"depths", NUMBERS, &depths, "entries in the queue", NULL, 1, 1000000}};
  Bench bench;
  bench_options(&bench, argc, argv, "match_depth",
                "what it costs to find a message or a receive in a long queue (2 ranks)",
                WITH_LENGTH(options));
  bench_begin(&bench, MPI_THREAD_SINGLE);
  bench_require(&bench, bench.ranks == 2, "wants 2 ranks, and there are %d (mpiexec -n 2)",
                bench.ranks);
  const int most = largest_tag();
  for (int i = 0; i < depths.count; i++)
    bench_require(&bench, depths.value[i] <= most,
                  "a depth of %ld wants as many tags, and the library has %d", depths.value[i],
                  most);
  bench_run(&bench, 0, body, NULL);
  return bench_end(&bench);
}
