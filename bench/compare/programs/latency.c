/* Half of the time in which a message goes to the other rank and back. */
#include <string.h>

#include "measure.h"

static int rank, size;
static char* buffer;

static void ping_pong(long iterations, void* argument) {
  (void)argument;
  for (long i = 0; i < iterations; i++) {
    if (rank == 0) {
      MPI_Send(buffer, size, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, size, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, size, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, size, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  buffer = malloc(4194304);
  memset(buffer, 1, 4194304);
  for (int i = 0; kSizes[i] >= 0; i++) {
    size = kSizes[i];
    const double seconds = seconds_each(ping_pong, NULL, 0.04);
    if (rank == 0) printf("RESULT %d %.9g\n", size, seconds / 2 * 1e6);
  }
  MPI_Finalize();
  return 0;
}
