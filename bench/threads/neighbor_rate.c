/* neighbor_rate - the Neighbor Message Rate benchmark: how many messages a second do the threads of
 * one rank send, each to a neighbour of its own that does the same?
 *
 *   threads:    rank 0: thread 0 <-> rank 1, thread 1 <-> rank 2, ...     MPI_THREAD_MULTIPLE
 *   processes:  rank 0 <-> rank N, rank 1 <-> rank N+1, ...               MPI_THREAD_SINGLE: the baseline
 *
 * Each round: 12 Irecv, 12 Isend, Waitall. Messages are counted where they are sent, by rank 0 or
 * the first N ranks. `--objects derived` uses a communicator and a vector type that the program has
 * made; libraries that count references then touch two counters for each message, shared by all
 * threads. */
#include "common.h"

enum { BATCH = 12, BLOCK = 4, MAX_SIZE = 4096 };

static const char *mode = "threads", *objects = "predefined";
static long count = 4, size = 0;

typedef struct {
  int peer, tag;
  Buffers out, in; /* BATCH messages each */
} Neighbour;

static MPI_Comm comm = MPI_COMM_WORLD;
static MPI_Datatype type = MPI_BYTE;
static int elements; /* of the type in a message */

static void exchange(Member* member, long iterations, void* argument) {
  Neighbour* n = argument;
  MPI_Request requests[2 * BATCH];
  for (long i = 0; i < iterations; i++) {
    for (unsigned b = 0; b < BATCH; b++)
      MPI_Irecv(buffers_slot(&n->in, n->in.number + b), elements, type, n->peer, n->tag, comm,
                &requests[b]);
    for (unsigned b = 0; b < BATCH; b++)
      MPI_Isend(buffers_next(&n->out), elements, type, n->peer, n->tag, comm, &requests[BATCH + b]);
    MPI_Waitall(2 * BATCH, requests, MPI_STATUSES_IGNORE);
    for (unsigned b = 0; b < BATCH; b++) buffers_received(member->bench, &n->in);
  }
}

static Neighbour neighbour_of(const Member* member) {
  const int rank = member->bench->rank, threads = is(mode, "threads");
  const int counted = threads ? rank == 0 : rank < count;
  Neighbour n = {0};
  if (threads) {
    n.peer = counted ? member->thread + 1 : 0;
    n.tag = counted ? n.peer : rank;
  } else {
    n.peer = (int)(counted ? rank + count : rank - count);
    n.tag = counted ? n.peer : rank;
  }
  const int derived = is(objects, "derived");
  const size_t bytes = (size_t)(derived && size ? 2 * size - BLOCK : size);
  const unsigned seed = 2 * (unsigned)n.tag;
  buffers_begin(&n.out, bytes, BATCH, "cached", 1, seed + (unsigned)counted);
  buffers_begin(&n.in, bytes, BATCH, "cached", 1, seed + !counted);
  n.in.block = derived ? BLOCK : 0;
  buffers_fill(&n.out);
  return n;
}

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  Neighbour n = neighbour_of(member);
  (void)argument;
  member->rated = is(mode, "threads") ? member->bench->rank == 0 : member->bench->rank < count;
  bench_measure(member, exchange, &n, &samples);
  buffers_check(member->bench, &n.in);
  bench_result(member, &samples, AS_RATE, (double)(BATCH * count), "message rate", "messages/s",
               "mode=%s objects=%s threads=%ld size=%ld", mode, objects, count, size);
  bench_result(member, &samples, AS_SUM_OF_RATES, BATCH, "message rate, sum of threads",
               "messages/s", "mode=%s objects=%s threads=%ld size=%ld", mode, objects, count, size);
  buffers_end(&n.out);
  buffers_end(&n.in);
}

static void make_objects(const Bench* bench) {
  bench_require(bench, size % BLOCK == 0,
                "--objects derived wants a --size that is a multiple of %d, not %ld", BLOCK, size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int blocks = size ? (int)size / BLOCK : 2; /* empty messages: none of this type */
  MPI_Type_vector(blocks, BLOCK, 2 * BLOCK, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  elements = size > 0;
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"mode", CHOICE, &mode, "threads of rank 0, or as many processes with MPI_THREAD_SINGLE",
       "processes|threads", 0, 0},
      {"objects", CHOICE, &objects,
       "MPI_COMM_WORLD and MPI_BYTE, or a communicator and a vector type of the program",
       "predefined|derived", 0, 0},
      {"threads", NUMBER, &count, "threads of rank 0, or processes; and as many neighbours", NULL,
       1, BENCH_THREADS},
      {"size", NUMBER, &size, "bytes of a message", NULL, 0, MAX_SIZE}};
  Bench bench;
  bench_options(&bench, argc, argv, "neighbor_rate",
                "how many messages a second the threads of one rank send to neighbours",
                WITH_LENGTH(options));
  bench_begin(&bench, level_of(mode));
  const int threads = is(mode, "threads"), derived = is(objects, "derived");
  const long ranks = threads ? count + 1 : 2 * count;
  bench_require(&bench, bench.ranks == ranks,
                "%ld %s and their neighbours are %ld ranks, and there are %d (mpiexec -n %ld)",
                count, mode, ranks, bench.ranks, ranks);
  elements = (int)size;
  if (derived) make_objects(&bench);
  bench_run(&bench, threads && bench.rank == 0 ? (int)count : 0, body, NULL);
  if (derived) {
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
  }
  return bench_end(&bench);
}
