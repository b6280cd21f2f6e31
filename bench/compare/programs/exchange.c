/* What two ranks need for the commonest patterns; the argument says which:
 *
 *   sendrecv  both call MPI_Sendrecv at the same time
 *   waitall   both call MPI_Irecv, MPI_Isend, MPI_Waitall at the same time
 *   touched   half of a round trip in which each rank reads all that it has received, and writes all that
 *             it sends, as programs do */
#include <string.h>

#include "measure.h"

static const int kSizesHere[] = {8, 1024, 16384, 65536, 262144, 1048576, 4194304, -1};
enum { MOST = 4194304 };

static int rank, peer, size;
static char *sent, *received;

static void send_and_receive(long iterations, void* argument) {
  (void)argument;
  for (long i = 0; i < iterations; i++)
    MPI_Sendrecv(sent, size, MPI_CHAR, peer, 1, received, size, MPI_CHAR, peer, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void wait_for_both(long iterations, void* argument) {
  (void)argument;
  for (long i = 0; i < iterations; i++) {
    MPI_Request requests[2];
    MPI_Irecv(received, size, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, size, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void touch(long iterations, void* argument) {
  (void)argument;
  for (long i = 0; i < iterations; i++) {
    if (rank == 0) MPI_Send(sent, size, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
    MPI_Recv(received, size, MPI_CHAR, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(sent, received, (size_t)size);
    if (rank == 1) MPI_Send(sent, size, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  sent = calloc(1, MOST);
  received = calloc(1, MOST);
  const char* which = argc > 1 ? argv[1] : "sendrecv";
  const int trips = strcmp(which, "touched") == 0;
  void (*body)(long, void*) = trips                           ? touch
                              : strcmp(which, "waitall") == 0 ? wait_for_both
                                                              : send_and_receive;
  for (int i = 0; kSizesHere[i] >= 0; i++) {
    size = kSizesHere[i];
    const double seconds = seconds_each(body, NULL, 0.04);
    if (rank == 0) printf("RESULT %d %.9g\n", size, seconds / (trips ? 2 : 1) * 1e6);
  }
  MPI_Finalize();
  return 0;
}
