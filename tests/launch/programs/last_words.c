// last_words WAY [SIGNAL]: every rank prints a line that its stream keeps, and then rank 1 leaves by WAY, or all do.
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int overflow(int depth) {
  volatile char room[4000];
  room[depth % 4000] = (char)depth;
  return depth < 0 ? 0 : overflow(depth + 1) + room[depth % 4000];
}

int main(int argc, char** argv) {
  const char* way = argv[1];
  int rank, nothing;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d is here\n", rank);
  // The others are not all blocked: one holds its stream's lock.
  if (rank == 2) flockfile(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(way, "all raise") == 0) {
    raise(atoi(argv[2]));
    const char text[] = "one goes on\n";
    if (write(1, text, sizeof text - 1) < 0) return 1;
  }
  if (rank == 1) {
    printf("last words");
    if (strcmp(way, "_exit") == 0) _exit(3);
    if (strcmp(way, "quick_exit") == 0) quick_exit(3);
    if (strcmp(way, "exit") == 0) exit(3);
    if (strcmp(way, "MPI_Abort") == 0) MPI_Abort(MPI_COMM_SELF, 3);
    if (strcmp(way, "abort") == 0) abort();
    if (strcmp(way, "bad pointer") == 0) *(volatile int*)8 = 1;
    if (strcmp(way, "overflow") == 0) return overflow(0);
    if (strcmp(way, "raise") == 0) raise(atoi(argv[2]));
    if (strcmp(way, "kill") == 0) kill(getpid(), atoi(argv[2]));
    printf(" and it goes on\n");
  }
  MPI_Recv(&nothing, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
