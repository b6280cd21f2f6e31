/* Communicates in a constructor: the first rank waits for others, which are loaded after it. */
#include <mpi.h>
#include <stddef.h>

__attribute__((constructor)) static void meet(void) {
  MPI_Init(NULL, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(void) {
  MPI_Finalize();
  return 0;
}
