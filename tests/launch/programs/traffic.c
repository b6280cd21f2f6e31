/* traffic: says "ready"; then messages around a ring, each checked, and sums of all, until something ends it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 1 << 18 };
static char sent[LONGEST], received[LONGEST];

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
  }
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (long turn = 0;; turn++) {
    const int bytes = 1 << turn % 19;
    memset(sent, (int)(turn + rank), (size_t)bytes);
    MPI_Sendrecv(sent, bytes, MPI_CHAR, right, 0, received, bytes, MPI_CHAR, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    long own = turn + rank, sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    const char wanted = (char)(turn + left);
    if (received[0] != wanted || received[bytes - 1] != wanted ||
        sum != ranks * turn + ranks * (ranks - 1L) / 2) {
      printf("wrong in turn %ld\n", turn);
      MPI_Abort(MPI_COMM_WORLD, 99);
    }
  }
}
