/* Rank 1 receives into memory of which only the first half is there. It waits, so the copy is rank 0's. */
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

enum { BYTES = 64 << 20 };

static char sent[BYTES];

int main(int argc, char** argv) {
  int rank, posted = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Recv(&posted, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(sent, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    char* half = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(half + BYTES / 2, BYTES / 2, PROT_NONE);
    MPI_Irecv(half, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&posted, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
