// A job that does not end: rank 0 waits for a message, rank 1 computes, rank 2 sleeps, rank 3 calls MPI again and again, others have
// ended or wait for them in MPI_Finalize. With an argument: all end at once.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static volatile double sum;

__attribute__((noinline)) static void compute(void) {
  for (;;) sum += 1;
}

__attribute__((noinline)) static void probe(void) {
  for (int there = 0; !there;)
    MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank, word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc == 1) {
    if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) compute();
    if (rank == 2) sleep(1000);
    if (rank == 3) probe();
  }
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
