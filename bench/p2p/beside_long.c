// beside_long [SECONDS [PARTNER]]: rank 0 and its partner, rank 1 or 2, send 8 bytes to and fro, first alone, then while
// another thread of rank 0 sends messages of 64 MiB to the third rank. Prints the half round trips (median, 99 of 100,
// worst) and the bandwidth of the long messages. With two workers ranks 0 and 1 share one.

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLong = 64 << 20, kMost = 4000000, kShortTag = 0, kLongTag = 1, kStopTag = 2 };

static int partner = 1;  // the third rank: 3 - partner
static atomic_bool ends;
static double long_gb_a_second;

static int by_size(const void* a, const void* b) {
  const float x = *(const float*)a, y = *(const float*)b;
  return (x > y) - (x < y);
}

static void* send_long(void* buffer) {
  const double start = MPI_Wtime();
  long count = 0;
  while (!ends) {
    MPI_Send(buffer, kLong, MPI_BYTE, 3 - partner, kLongTag, MPI_COMM_WORLD);
    ++count;
  }
  long_gb_a_second = 1e-9 * kLong * (double)count / (MPI_Wtime() - start);
  MPI_Send(buffer, 0, MPI_BYTE, 3 - partner, kStopTag, MPI_COMM_WORLD);
  return NULL;
}

static void receive_long(void* buffer) {
  MPI_Status status;
  do {
    MPI_Recv(buffer, kLong, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  } while (status.MPI_TAG != kStopTag);
}

static void ping(const char* when, double seconds) {
  static float half[kMost];
  long count = 0;
  char data[8] = {0};
  const double start = MPI_Wtime();
  double before = start;
  while (before < start + seconds && count < kMost) {
    MPI_Send(data, 8, MPI_BYTE, partner, kShortTag, MPI_COMM_WORLD);
    MPI_Recv(data, 8, MPI_BYTE, partner, kShortTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double now = MPI_Wtime();
    half[count++] = (float)(0.5e6 * (now - before));
    before = now;
  }
  MPI_Send(data, 0, MPI_BYTE, partner, kStopTag, MPI_COMM_WORLD);
  qsort(half, (size_t)count, sizeof *half, by_size);
  printf("%-12s median %6.2f us, 99 %% %7.2f us, worst %8.1f us, %ld round trips", when,
         half[count / 2], half[count * 99 / 100], half[count - 1], count);
}

static void pong(void) {
  char data[8];
  MPI_Status status;
  for (;;) {
    MPI_Recv(data, 8, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStopTag) return;
    MPI_Send(data, 8, MPI_BYTE, 0, kShortTag, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  if (argc > 2) partner = atoi(argv[2]);
  int rank, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const buffer = rank != partner ? calloc(kLong, 1) : NULL;
  if (rank == 0) {
    ping("alone:", seconds);
    printf("\n");
    pthread_t sender;
    pthread_create(&sender, NULL, send_long, buffer);
    ping("beside long:", seconds);
    ends = 1;
    pthread_join(sender, NULL);
    printf(", long %.2f GB/s\n", long_gb_a_second);
  } else if (rank == partner) {
    pong();
    pong();
  } else if (rank == 3 - partner) {
    receive_long(buffer);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
