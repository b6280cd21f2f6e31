/* wait [spin]: says "ready", then waits for a message that never comes, or computes for ever. */
#include <mpi.h>
#include <stdio.h>

static volatile unsigned long count;

int main(int argc, char** argv) {
  int rank, nothing;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* or another rank could compute where rank 0 should run */
  while (argc > 1) count++;
  MPI_Recv(&nothing, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
