/* numbered: each rank sends numbered messages of many lengths to all others, and receives theirs; rank 0 says "ok" if each
 * has come once, in order, with the bytes that were sent. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMessages = 120, kLongest = 1 << 20 };

static size_t length_of(int number) {
  static const size_t lengths[] = {1, 60, 1000, 8192, 17, 20000};
  return number % 40 == 39 ? kLongest : lengths[number % 6];
}

static unsigned char byte_of(int from, int to, int number, size_t at) {
  return (unsigned char)(from * 31 + to * 17 + number * 7 + at * 13);
}

static unsigned char* message(int from, int to, int number) {
  unsigned char* bytes = malloc(length_of(number));
  for (size_t i = 0; i < length_of(number); i++) bytes[i] = byte_of(from, to, number, i);
  return bytes;
}

static int is_right(const unsigned char* bytes, int from, int to, int number, MPI_Status* status) {
  int came = 0;
  MPI_Get_count(status, MPI_BYTE, &came);
  if ((size_t)came != length_of(number)) return 0;
  for (size_t i = 0; i < length_of(number); i++) {
    if (bytes[i] != byte_of(from, to, number, i)) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, wrong = 0, all_wrong = 0, sends = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * kMessages * size);
  unsigned char** sent = malloc(sizeof(void*) * kMessages * size);
  for (int number = 0; number < kMessages; number++) {
    for (int to = 0; to < size; to++) {
      if (to == rank) continue;
      sent[sends] = message(rank, to, number);
      MPI_Isend(sent[sends], (int)length_of(number), MPI_BYTE, to, 1, MPI_COMM_WORLD,
                &requests[sends]);
      sends++;
    }
  }
  unsigned char* in = malloc(kLongest);
  for (int number = 0; number < kMessages; number++) {
    for (int from = 0; from < size; from++) {
      MPI_Status status;
      if (from == rank) continue;
      MPI_Recv(in, kLongest, MPI_BYTE, from, 1, MPI_COMM_WORLD, &status);
      wrong += !is_right(in, from, rank, number, &status);
    }
  }
  MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
  while (sends > 0) free(sent[--sends]);
  free(sent);
  free(requests);
  free(in);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all_wrong == 0 ? "ok\n" : "%d wrong messages\n", all_wrong);
  MPI_Finalize();
  return 0;
}
