// Starts libomp, says where the segment of its process is, and ends as the argument says.

#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "return";
  int rank = 0, threads = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  char path[100];
  snprintf(path, sizeof path, "/dev/shm/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(), (int)getuid());
  printf("%s %s\n", path, access(path, F_OK) == 0 && threads == 2 ? "there" : "missing");
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    if (strcmp(how, "crash") == 0) *(volatile int*)NULL = 1;
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "mpi_abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(how, "_exit_early") == 0) _exit(3);
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  }
  MPI_Finalize();
  if (strcmp(how, "_exit") == 0) _exit(0);
  return 0;
}
