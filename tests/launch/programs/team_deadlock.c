// A team of OpenMP of which one thread waits for a message: of nothing, or of a thread of the other rank that sends it late.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** arguments) {
  int level, rank, ranks, number = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int sends = strcmp(arguments[1], "sends") == 0;
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 1) {
      MPI_Recv(&number, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    if (omp_get_thread_num() == 2 && sends) {
      usleep(500000);
      MPI_Send(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
