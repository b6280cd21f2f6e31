/* Each rank copies what it reads from standard input, lines with its number in front. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  char line[256];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (fgets(line, sizeof line, stdin)) printf("%d: %s", rank, line);
  printf("%d: end\n", rank);
  MPI_Finalize();
  return 0;
}
