/* Each strand of a rank uses 100 KB of its stack, while the library's own threads work as well. Prints "ok". */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int fill(void) {
  volatile char bytes[100 << 10];
  for (unsigned i = 0; i < sizeof bytes; i += 1024) bytes[i] = 1;
  return bytes[0];
}

static void* in_thread(void* unused) {
  (void)unused;
  return fill() == 1 ? NULL : "wrong";
}

int main(int argc, char** argv) {
  int rank, sum = 0;
  MPI_Request request;
  pthread_t thread;
  void* result;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, &result);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  usleep(60000);
  printf(result == NULL && fill() == 1 ? "ok\n" : "wrong\n");
  MPI_Finalize();
  return 0;
}
