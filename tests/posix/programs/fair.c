/* Ranks of one worker, of which rank 0 does not wait. What it uses is judged by its own processor time, which other
 * programs on the machine do not change.
 *
 *   fair token WHERE   the others pass a token round while rank 0 computes in its own code, in libc, in a short call of MPI. A hop
 *                      does not wait for a slice of rank 0.
 *   fair calls WHICH   rank 0 makes system calls of some ms each, and nothing else. Rank 1 gets a turn in each few slices.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kRounds = 30, kBytes = 4 << 20, kSlicesASecond = 100 };

static char bytes[2][kBytes];

static double used(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static void compute(const char* where) {
  if (strcmp(where, "wtime") == 0) MPI_Wtime();
  if (strcmp(where, "clock") == 0) clock();
  if (strcmp(where, "malloc") == 0) free(malloc(100));
  if (strcmp(where, "memmove") == 0) memmove(bytes[0], bytes[1], kBytes / 4);
}

static int hop(int rank, int size, const char* where) {
  int token = 0;
  const int before = rank == 1 ? size - 1 : rank - 1, next = rank == size - 1 ? 1 : rank + 1;
  if (rank == 0) {
    MPI_Request over;
    const double began = used();
    MPI_Irecv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &over);
    while (*(volatile int*)&token == 0) compute(where);
    MPI_Wait(&over, MPI_STATUS_IGNORE);
    return used() - began < (double)kRounds * (size - 1) / kSlicesASecond / 4;
  }
  for (int i = 0; i < kRounds; ++i) {
    if (rank == 1) MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 1) MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
  }
  token = 1;
  if (rank == 1) MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  return 1;
}

static void call(int file, const char* which) {
  if (strcmp(which, "read") == 0) {
    if (pread(file, bytes[0], kBytes, 0) < 0) abort();
  } else {
    lseek(file, 0, SEEK_SET);
    if (write(file, bytes[0], kBytes) != kBytes) abort();
    if (strcmp(which, "fsync") == 0) fsync(file);
  }
}

static int make_calls(int rank, const char* which) {
  long turns = 0;
  int over = 0, unused = 0;
  MPI_Request end;
  if (rank == 1) {
    MPI_Irecv(&unused, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &end);
    for (; !over; ++turns) MPI_Test(&end, &over, MPI_STATUS_IGNORE);
    MPI_Send(&turns, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    return 1;
  }
  char name[] = "/tmp/heddle-fair-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  if (write(file, bytes[0], kBytes) != kBytes) abort();
  const double began = used();
  double seconds = 0;
  do {
    for (int i = 0; i < 50; ++i) call(file, which);
    seconds = used() - began;
  } while (seconds < 1);
  MPI_Send(&unused, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(&turns, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  close(file);
  if (turns < seconds * kSlicesASecond / 4) printf("%ld turns in %.1f s\n", turns, seconds);
  return turns >= seconds * kSlicesASecond / 4;
}

int main(int argc, char** argv) {
  int rank, size, right = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "token") == 0) {
    right = hop(rank, size, argv[2]);
  } else {
    right = make_calls(rank, argv[2]);
  }
  MPI_Finalize();
  puts(right ? "ok" : "wrong");
  return 0;
}
