// Of two ranks, the first one is in a barrier while a message of another communicator comes, and so, perhaps, by a channel that no
// other thread looks at: they compute. The second one comes to the barrier when its message has been taken.
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kComms = 10, kMostThreads = 8, kMostBytes = 100000 };

static atomic_int done;
static volatile unsigned long work;

static void* compute(void* unused) {
  (void)unused;
  while (!done) work = work + 1;
  return NULL;
}

// How many messages were wrong.
static int exchange(int rank, MPI_Comm comm, int bytes) {
  static unsigned char data[kMostBytes], room[kMostBytes];
  MPI_Request request;
  for (int i = 0; i < bytes; ++i) data[i] = (unsigned char)(i * 7 + bytes);
  if (rank == 1) {
    MPI_Ssend(data, bytes, MPI_BYTE, 0, 0, comm);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
  }
  memset(room, 0, sizeof room);
  MPI_Irecv(room, bytes, MPI_BYTE, 1, 0, comm, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return memcmp(room, data, (size_t)bytes) != 0;
}

int main(int argc, char** argv) {
  static const int sizes[] = {8, 8192, kMostBytes};
  int threads = argc > 1 ? atoi(argv[1]) : 1, rank, wrong = 0, provided;
  pthread_t thread[kMostThreads];
  if (threads > kMostThreads) threads = kMostThreads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < threads; ++i) pthread_create(&thread[i], NULL, compute, NULL);
  for (int i = 0; i < kComms; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int k = 0; k < 3; ++k) wrong += exchange(rank, comm, sizes[k]);
    MPI_Comm_free(&comm);
  }
  done = 1;
  for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
  if (rank == 0) printf("%d wrong\n", wrong);
  MPI_Finalize();
  return 0;
}
