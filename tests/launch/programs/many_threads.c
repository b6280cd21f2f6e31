/* Rank 0 makes 4300 threads, one after the other, which ask for their rank once. */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

static void* ask(void* argument) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return argument;
}

int main(int argc, char** argv) {
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; rank == 0 && i < 4300; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask, NULL) != 0) return 1;
    pthread_join(thread, NULL);
  }
  MPI_Finalize();
}
