/* Collectives, microseconds each; the argument says which:
 *
 *   short  8 bytes of each rank to each
 *   long   1 KiB and 64 KiB of each rank to each, 1 MiB to all
 *
 * A loop of each ends with a barrier, so that no rank runs ahead. ibarrier is a start and its wait, ibarrier_start the start alone;
 * neighbors and neighbors_p2p are one exchange with four neighbors on a torus, by MPI_Neighbor_alltoall and by messages. */
#include <string.h>

#include "measure.h"

static int ranks, bytes;
static char *sent, *received;
static MPI_Comm torus;
static double in_starts;

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(void) {
  MPI_Bcast(sent, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}
static void reduce(void) {
  MPI_Reduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void allreduce(void) {
  MPI_Allreduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void gather(void) {
  MPI_Gather(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}
static void scatter(void) {
  MPI_Scatter(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}
static void allgather(void) {
  MPI_Allgather(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, MPI_COMM_WORLD);
}
static void alltoall(void) {
  MPI_Alltoall(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, MPI_COMM_WORLD);
}
static void scan(void) {
  MPI_Scan(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter_block(void) {
  MPI_Reduce_scatter_block(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void ibarrier(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void ibarrier_start(void) {
  MPI_Request request;
  const double start = MPI_Wtime();
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  in_starts += MPI_Wtime() - start;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void neighbors(void) {
  MPI_Neighbor_alltoall(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, torus);
}

static void neighbors_p2p(void) {
  MPI_Request requests[8];
  for (int i = 0; i < 4; i++) {
    int from, to;
    MPI_Cart_shift(torus, i / 2, i % 2 ? 1 : -1, &from, &to);
    MPI_Irecv(received + i * bytes, bytes, MPI_CHAR, to, i, torus, &requests[i]);
    MPI_Isend(sent + i * bytes, bytes, MPI_CHAR, to, i ^ 1, torus, &requests[4 + i]);
  }
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static long called;
static void repeat(long iterations, void* operation) {
  void (**call)(void) = operation;
  for (long i = 0; i < iterations; i++) (*call)();
  called += iterations;
  MPI_Barrier(MPI_COMM_WORLD);
}

static double measure(void (*call)(void)) {
  return seconds_each(repeat, &call, 0.04) * 1e6;
}

static void report(const char* name, double microseconds) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("RESULT %s %.6g\n", name, microseconds);
  fflush(stdout);
}

static void all_short(void) {
  const struct {
    const char* name;
    void (*call)(void);
  } operations[] = {{"barrier", barrier},
                    {"bcast", bcast},
                    {"reduce", reduce},
                    {"allreduce", allreduce},
                    {"gather", gather},
                    {"scatter", scatter},
                    {"allgather", allgather},
                    {"alltoall", alltoall},
                    {"scan", scan},
                    {"reduce_scatter_block", reduce_scatter_block},
                    {"ibarrier", ibarrier},
                    {"neighbors", neighbors},
                    {"neighbors_p2p", neighbors_p2p}};
  bytes = 8;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    report(operations[i].name, measure(operations[i].call));
  in_starts = 0;
  called = 0;
  measure(ibarrier_start);
  report("ibarrier_start", in_starts / (double)called * 1e6);
}

static void all_long(void) {
  bytes = 1024;
  report("alltoall_1024", measure(alltoall));
  bytes = 65536;
  report("alltoall_65536", measure(alltoall));
  bytes = 1 << 20;
  report("bcast_1048576", measure(bcast));
  report("allreduce_1048576", measure(allreduce));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int is_long = argc > 1 && strcmp(argv[1], "long") == 0;
  const size_t most = is_long ? ((size_t)ranks * 65536 > 1 << 20 ? (size_t)ranks * 65536 : 1 << 20)
                              : (size_t)ranks * 8 + 64;
  sent = calloc(1, most);
  received = calloc(1, most);
  int dimensions[2] = {0, 0};
  const int periods[2] = {1, 1};
  MPI_Dims_create(ranks, 2, dimensions);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &torus);
  if (is_long) {
    all_long();
  } else {
    all_short();
  }
  MPI_Comm_free(&torus);
  MPI_Finalize();
  return 0;
}
