/* Copies its input to its output. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int c; (c = getchar()) != EOF;) putchar(c);
  MPI_Finalize();
  return 0;
}
