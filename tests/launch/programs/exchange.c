/* exchange [PROGRAM]: messages of many lengths between all ranks, collectives, and started ones; rank 0 says "ok". With
 * PROGRAM each rank then runs it as a child. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLongest = 3 << 20 };
static int rank, size;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned char byte_of(int from, int at) {
  return (unsigned char)(from * 31 + at * 7);
}

/* To the right, from the left. */
static void shift(size_t bytes) {
  static unsigned char out[kLongest], in[kLongest];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (size_t i = 0; i < bytes; i++) out[i] = byte_of(rank, (int)i);
  memset(in, 0, bytes);
  MPI_Sendrecv(out, (int)bytes, MPI_BYTE, right, 1, in, (int)bytes, MPI_BYTE, left, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < bytes; i++) check(in[i] == byte_of(left, (int)i), "a wrong byte");
}

/* More messages than any ring holds, received from the last to the first. */
static void flood(void) {
  enum { kMessages = 3000 };
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  static MPI_Request requests[2 * kMessages];
  static int out[kMessages], in[kMessages];
  for (int i = 0; i < kMessages; i++) {
    out[i] = rank * kMessages + i;
    MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = kMessages - 1; i >= 0; i--) {
    MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[kMessages + i]);
  }
  MPI_Waitall(2 * kMessages, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kMessages; i++) check(in[i] == left * kMessages + i, "a wrong message");
}

static void collect(void) {
  int sum = 0, root = rank == size - 1 ? 42 : 0, *all = malloc(size * sizeof *all);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == size * (size - 1) / 2, "MPI_Allreduce");
  MPI_Bcast(&root, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  check(root == 42, "MPI_Bcast");
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) check(all[i] == i, "MPI_Allgather");
  free(all);
}

static void start_and_wait(void) {
  MPI_Comm other;
  MPI_Request requests[3];
  int sum = 0, first = rank == 0 ? 7 : 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(&first, 1, MPI_INT, 0, other, &requests[1]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  check(sum == size * (size - 1) / 2 && first == 7, "a started collective");
  MPI_Comm_free(&other);
}

static void ask_where(void) {
  MPI_Comm shared;
  int together = 0, *global = NULL, found = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_size(shared, &together);
  check(together >= 1 && together <= size, "MPI_COMM_TYPE_SHARED");
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &found);
  check(found && *global == (together == size), "MPI_WTIME_IS_GLOBAL");
  MPI_Comm_free(&shared);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t lengths[] = {0, 1, 30, 40, 57, 1000, 8192, 40000, 300000, kLongest};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) shift(lengths[i]);
  flood();
  collect();
  start_and_wait();
  ask_where();
  if (argc > 1) check(system(argv[1]) == 0, "the child");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts("ok");
  MPI_Finalize();
  return 0;
}
