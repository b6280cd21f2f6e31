/* Bytes a second in one direction: windows of messages, then one answer. The buffers are the same
 * each time. */
#include <string.h>

#include "measure.h"

enum { WINDOW = 32 };

static int rank, size;
static char* buffer;

static void stream(long iterations, void* argument) {
  MPI_Request requests[WINDOW];
  char answer = 0;
  (void)argument;
  for (long i = 0; i < iterations; i++) {
    for (int w = 0; w < WINDOW; w++) {
      if (rank == 0) {
        MPI_Isend(buffer, size, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[w]);
      } else {
        MPI_Irecv(buffer, size, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[w]);
      }
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
      MPI_Recv(&answer, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&answer, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  buffer = malloc(4194304);
  memset(buffer, 1, 4194304);
  for (int i = 1; kSizes[i] >= 0; i++) {
    size = kSizes[i];
    const double seconds = seconds_each(stream, NULL, 0.04);
    if (rank == 0) printf("RESULT %d %.9g\n", size, (double)size * WINDOW / seconds * 1e-9);
  }
  MPI_Finalize();
  return 0;
}
