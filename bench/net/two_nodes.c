/* Two ranks: half of a ping-pong, windows of 64 sends that one answer ends, puts that a flush follows, and puts between a lock and an unlock. Prints
   "latency BYTES MICROSECONDS", "window BYTES MICROSECONDS-A-MESSAGE", "put BYTES MICROSECONDS" and "lock_put_unlock BYTES MICROSECONDS": medians of
   batches. two_nodes BATCHES BYTES... */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWindow = 64 };
static MPI_Win shown;

static int compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double half_round_trip(int rank, char* buffer, int bytes, int times) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    if (rank == 0) {
      MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - begin) / times / 2;
}

static double window(int rank, char* buffer, int bytes, int times) {
  MPI_Request requests[kWindow];
  char answer = 0;
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    for (int each = 0; each < kWindow; ++each) {
      char* const at = buffer + (long)each * bytes;
      if (rank == 0) {
        MPI_Isend(at, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[each]);
      } else {
        MPI_Irecv(at, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[each]);
      }
    }
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
      MPI_Recv(&answer, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&answer, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - begin) / times / kWindow;
}

static double put(int rank, char* buffer, int bytes, int times) {
  const double begin = MPI_Wtime();
  for (int i = 0; rank == 0 && i < times; ++i) {
    MPI_Put(buffer, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, shown);
    MPI_Win_flush(1, shown);
  }
  const double taken = (MPI_Wtime() - begin) / times;
  MPI_Barrier(MPI_COMM_WORLD);
  return taken;
}

static double lock_put_unlock(int rank, char* buffer, int bytes, int times) {
  const double begin = MPI_Wtime();
  for (int i = 0; rank == 0 && i < times; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, shown);
    MPI_Put(buffer, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, shown);
    MPI_Win_unlock(1, shown);
  }
  const double taken = (MPI_Wtime() - begin) / times;
  MPI_Barrier(MPI_COMM_WORLD);
  return taken;
}

static void measure(const char* what, double (*once)(int, char*, int, int), int rank, char* buffer,
                    int bytes, int batches, int times) {
  double* const taken = malloc(sizeof(double) * batches);
  once(rank, buffer, bytes, times);
  for (int i = 0; i < batches; ++i) taken[i] = once(rank, buffer, bytes, times);
  qsort(taken, batches, sizeof(double), compare);
  if (rank == 0) printf("%s %d %.3f\n", what, bytes, taken[batches / 2] * 1e6);
  free(taken);
}

int main(int count, char** words) {
  int rank;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int batches = atoi(words[1]);
  for (int i = 2; i < count; ++i) {
    const int bytes = atoi(words[i]);
    char* const buffer = calloc(kWindow, bytes);
    measure("latency", half_round_trip, rank, buffer, bytes, batches, bytes > 100000 ? 20 : 200);
    measure("window", window, rank, buffer, bytes, batches,
            bytes > 100000  ? 2
            : bytes > 10000 ? 8
                            : 50);
    MPI_Win_create(buffer, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown);
    MPI_Win_lock_all(0, shown);
    measure("put", put, rank, buffer, bytes, batches, bytes > 100000 ? 20 : 200);
    MPI_Win_unlock_all(shown);
    measure("lock_put_unlock", lock_put_unlock, rank, buffer, bytes, batches,
            bytes > 100000 ? 20 : 200);
    MPI_Win_free(&shown);
    free(buffer);
  }
  MPI_Finalize();
  return 0;
}
