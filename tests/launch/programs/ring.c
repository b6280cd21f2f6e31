/* A token goes once round all ranks, each adds its number (from a global variable) to it. */
#include <mpi.h>
#include <stdio.h>

static long mine = -1;

int main(int argc, char** argv) {
  int rank, size;
  long token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mine = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0) MPI_Recv(&token, 1, MPI_LONG, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  token += mine;
  if (rank < size - 1) MPI_Send(&token, 1, MPI_LONG, rank + 1, 0, MPI_COMM_WORLD);
  if (rank == size - 1) printf("sum %ld\n", token);
  MPI_Finalize();
  return 0;
}
