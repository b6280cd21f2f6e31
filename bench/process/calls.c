/* Calls of libc by ranks, to count instructions: `calls WHAT N` with malloc, lock, read. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Two ranks give each other a byte through pipes: on one worker, each read waits. */
static void reads(int rank, long n) {
  int ends[4];
  char byte = 'x';
  if (rank == 0) {
    pipe(ends);
    pipe(ends + 2);
  }
  MPI_Bcast(ends, 4, MPI_INT, 0, MPI_COMM_WORLD);
  for (long i = 0; rank < 2 && i < n; ++i) {
    write(ends[rank == 0 ? 1 : 3], &byte, 1);
    read(ends[rank == 0 ? 2 : 0], &byte, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long n = atol(argv[2]);
  const char what = argv[1][0];
  if (what == 'r') reads(rank, n);
  for (long i = 0; what == 'm' && i < n; ++i) {
    void* volatile block = malloc(100);
    free(block);
  }
  for (long i = 0; what == 'l' && i < n; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  MPI_Finalize();
  return 0;
}
