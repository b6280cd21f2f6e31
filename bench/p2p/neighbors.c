// neighbors ITERATIONS [BYTES]: every rank exchanges messages with four neighbours by Irecv, Isend and one
// Waitall, as a stencil does. Prints the time that one core needs for a message; run it on one worker.
// `instructions.py` runs it, too.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kNeighbors = 4 };

int main(int argc, char** argv) {
  const long iterations = argc > 1 ? atol(argv[1]) : 1000;
  const int bytes = argc > 2 ? atoi(argv[2]) : 8;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  const int distances[kNeighbors] = {1, size - 1, 2 % size, size - 2 % size};
  char* const data = calloc(2 * kNeighbors, (size_t)bytes + 1);
  MPI_Request requests[2 * kNeighbors];

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < iterations; ++i) {
    for (int j = 0; j < kNeighbors; ++j) {
      const int from = (rank + distances[j]) % size;
      MPI_Irecv(data + j * bytes, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[j]);
    }
    for (int j = 0; j < kNeighbors; ++j) {
      const int to = (rank + distances[j]) % size;
      MPI_Isend(data + (kNeighbors + j) * bytes, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD,
                &requests[kNeighbors + j]);
    }
    MPI_Waitall(2 * kNeighbors, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  if (rank == 0) {
    printf("%.1f ns a message\n", 1e9 * seconds / ((double)iterations * kNeighbors * size));
  }
  free(data);
  MPI_Finalize();
  return 0;
}
