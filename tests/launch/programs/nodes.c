/* Rank 0 tells how many nodes the ranks are on, and the sum of their numbers. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank_there;
  MPI_Comm_rank(node, &rank_there);
  const int told[2] = {rank_there == 0, rank};
  int sums[2];
  MPI_Reduce(told, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("nodes %d, sum %d\n", sums[0], sums[1]);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
