/* Writes lines in pieces, with other ranks running in between; "R R R R R R R R" is a whole one. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; i++) {
    for (int piece = 0; piece < 8; piece++) {
      printf(piece < 7 ? "%d " : "%d\n", rank);
      if (piece == i % 8) fflush(stdout);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
