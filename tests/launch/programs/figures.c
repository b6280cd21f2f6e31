// A ring in which each way to send and receive a message is taken; each rank says what it did, in its own count.
// Argument: how many rounds. Rank r sends messages of 10 * (r + 1) bytes, and one of 100000.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLarge = 100000 };

static int calls = 0, sent = 0, received = 0, first_wait = 1;
static long sent_bytes = 0, received_bytes = 0;
static char out[kLarge], in[kLarge];

#define CALL(call) (++calls, call)

static void note(int bytes_out, int bytes_in) {
  ++sent;
  ++received;
  sent_bytes += bytes_out;
  received_bytes += bytes_in;
}

static void exchange(int left, int right, int bytes, int from_left) {
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Status status;
  CALL(MPI_Irecv(in, from_left, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]));
  CALL(MPI_Send(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD));
  CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  note(bytes, from_left);

  CALL(MPI_Isend(out, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[0]));
  CALL(MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, &status));
  CALL(MPI_Mrecv(in, from_left, MPI_BYTE, &message, MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  note(bytes, from_left);

  CALL(MPI_Sendrecv(out, bytes, MPI_BYTE, right, 3, in, from_left, MPI_BYTE, left, 3,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  note(bytes, from_left);

  CALL(MPI_Send_init(out, bytes, MPI_BYTE, right, 4, MPI_COMM_WORLD, &requests[0]));
  CALL(MPI_Recv_init(in, from_left, MPI_BYTE, left, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]));
  CALL(MPI_Startall(2, requests));
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CALL(MPI_Request_free(&requests[0]));
  CALL(MPI_Request_free(&requests[1]));
  note(bytes, from_left);

  CALL(MPI_Issend(out, kLarge, MPI_BYTE, right, 5, MPI_COMM_WORLD, &requests[0]));
  CALL(MPI_Recv(in, kLarge, MPI_BYTE, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  note(kLarge, kLarge);

  // The receive is posted first on one side, the message is there first on the other one.
  if (first_wait) CALL(MPI_Barrier(MPI_COMM_WORLD));
  CALL(MPI_Bsend(out, bytes, MPI_BYTE, right, 6, MPI_COMM_WORLD));
  if (!first_wait) CALL(MPI_Barrier(MPI_COMM_WORLD));
  CALL(MPI_Recv(in, from_left, MPI_BYTE, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  note(bytes, from_left);
  first_wait = !first_wait;

  // No messages of the program.
  CALL(MPI_Send(out, 1, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
  CALL(MPI_Recv(in, 1, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CALL(MPI_Allgather(&bytes, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  int rank = 0, size = 0;
  static char buffer[10000];
  CALL(MPI_Init(&argc, &argv));
  CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CALL(MPI_Buffer_attach(buffer, sizeof buffer));
  const int left = (rank + size - 1) % size;
  for (int i = 0; i < rounds; ++i)
    exchange(left, (rank + 1) % size, 10 * (rank + 1), 10 * (left + 1));
  void* detached = NULL;
  int bytes = 0;
  CALL(MPI_Buffer_detach(&detached, &bytes));
  CALL(MPI_Finalize());
  printf("rank %d calls %d sent %d %ld received %d %ld\n", rank, calls, sent, sent_bytes, received,
         received_bytes);
  return 0;
}
