/* busy: messages of many lengths, collectives and started ones without an end, after "ready". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLongest = 1 << 19, kStarted = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  char *out = calloc(1, kLongest), *in = calloc(1, kLongest);
  double sums[kStarted];
  if (rank == 0) puts("ready"), fflush(stdout);
  for (unsigned turn = 0;; turn++) {
    const int bytes = (int)(turn * 7919u % kLongest) >> (turn % 20);
    MPI_Request requests[2 * kStarted];
    for (int i = 0; i < kStarted; i++) {
      double one = 1;
      MPI_Ibarrier(MPI_COMM_WORLD, &requests[2 * i]);
      MPI_Allreduce(&one, &sums[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Ibcast(out, bytes, MPI_BYTE, (int)turn % size, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Sendrecv(out, bytes, MPI_BYTE, right, 1, in, kLongest, MPI_BYTE, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Waitall(2 * kStarted, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
