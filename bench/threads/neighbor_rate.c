/* neighbor_rate - the Neighbor Message Rate benchmark: how many messages a second do the threads of
 * one rank exchange, each with a neighbour of its own?
 *
 *   rank 0: thread 0 <-> rank 1, thread 1 <-> rank 2, ...   each round: 12 Irecv, 12 Isend, Waitall
 *
 * `--objects derived` uses a communicator and a datatype that the program has made; libraries that
 * count references then touch two counters for each message, shared by all threads. */
#include "common.h"

enum { BATCH = 12, MAX_SIZE = 4096 };

static const char* objects = "predefined";
static long threads = 4, size = 8;

typedef struct {
  MPI_Comm comm;
  MPI_Datatype type; /* of `size` bytes */
  int count, peer, tag;
  char *out, *in; /* BATCH messages each */
} Neighbour;

static MPI_Comm comm = MPI_COMM_WORLD;
static MPI_Datatype type = MPI_BYTE;

static void exchange(Member* member, long iterations, void* argument) {
  const Neighbour* n = argument;
  MPI_Request requests[2 * BATCH];
  (void)member;
  for (long i = 0; i < iterations; i++) {
    for (int b = 0; b < BATCH; b++)
      MPI_Irecv(n->in + b * size, n->count, n->type, n->peer, n->tag, n->comm, &requests[b]);
    for (int b = 0; b < BATCH; b++)
      MPI_Isend(n->out + b * size, n->count, n->type, n->peer, n->tag, n->comm,
                &requests[BATCH + b]);
    MPI_Waitall(2 * BATCH, requests, MPI_STATUSES_IGNORE);
  }
}

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  const Bench* bench = member->bench;
  const int middle = bench->rank == 0, derived = is(objects, "derived");
  const size_t bytes = BATCH * (size_t)size;
  Neighbour n = {comm,
                 type,
                 derived ? 1 : (int)size,
                 middle ? member->thread + 1 : 0,
                 middle ? member->thread + 1 : bench->rank,
                 bench_memory(bytes),
                 bench_memory(bytes)};
  (void)argument;
  bench_fill(n.out, bytes, (unsigned)(2 * n.tag + middle));
  bench_measure(member, exchange, &n, &samples);
  bench_check(bench, n.in, bytes, (unsigned)(2 * n.tag + !middle), "12 messages");
  bench_result(member, &samples, AS_RATE, 2.0 * BATCH * (double)threads, "message rate",
               "messages/s", "objects=%s threads=%ld size=%ld", objects, threads, size);
  free(n.out);
  free(n.in);
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"objects", CHOICE, &objects,
       "MPI_COMM_WORLD and MPI_BYTE, or a communicator and a datatype "
       "of the program",
       "predefined|derived", 0, 0},
      {"threads", NUMBER, &threads, "threads of rank 0, and neighbours", NULL, 1, BENCH_THREADS},
      {"size", NUMBER, &size, "bytes of a message", NULL, 0, MAX_SIZE}};
  Bench bench;
  bench_options(&bench, argc, argv, "neighbor_rate",
                "how many messages a second the threads of one rank exchange with neighbours",
                WITH_LENGTH(options));
  bench_begin(&bench, MPI_THREAD_MULTIPLE);
  bench_require(&bench, bench.ranks == threads + 1,
                "%ld threads want %ld ranks, and there are %d (mpiexec -n %ld)", threads,
                threads + 1, bench.ranks, threads + 1);
  const int derived = is(objects, "derived");
  if (derived) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous((int)size, MPI_BYTE, &type);
    MPI_Type_commit(&type);
  }
  bench_run(&bench, bench.rank == 0 ? (int)threads : 0, body, NULL);
  if (derived) {
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
  }
  return bench_end(&bench);
}
