// Prints to both streams, reads its input and writes a line to a file of its own, closed.RANK: the file has that line.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  char name[32], byte, line[32];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "closed.%d", rank);
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 100; ++i) {
    printf("lost %d\n", i);
    fflush(stdout);
    fprintf(stderr, "lost %d\n", i);
    if (read(0, &byte, 1) > 0) return 2;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int length = snprintf(line, sizeof line, "line of rank %d\n", rank);
  if (file < 3 || write(file, line, length) != length) return 3;
  MPI_Finalize();
  return 0;
}
