// The calls of calls.F90 in C: `calls WHAT N`, with one rank.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define FOR_EACH for (int i = 0; i < times; ++i)

int main(int argc, char** argv) {
  const char* what = argc > 2 ? argv[1] : "";
  const int times = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm world = MPI_COMM_WORLD, own;
  MPI_Request request, requests[8];
  MPI_Status status, statuses[8];
  int a[4] = {1, 2, 3, 4}, b[4], n, flag;
  MPI_Comm_dup(world, &own);
  if (strcmp(what, "rank") == 0) {
    FOR_EACH MPI_Comm_rank(MPI_COMM_WORLD, &n);
  } else if (strcmp(what, "rank_of_own") == 0) {
    FOR_EACH MPI_Comm_rank(own, &n);
  } else if (strcmp(what, "type_size") == 0) {
    FOR_EACH MPI_Type_size(MPI_INT, &n);
  } else if (strcmp(what, "barrier") == 0) {
    FOR_EACH MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "iprobe") == 0) {
    FOR_EACH MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, &status);
  } else if (strcmp(what, "iprobe_of_own") == 0) {
    FOR_EACH MPI_Iprobe(0, 5, own, &flag, &status);
  } else if (strcmp(what, "allreduce") == 0) {
    FOR_EACH MPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(what, "allreduce_of_own") == 0) {
    FOR_EACH MPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, own);
  } else if (strcmp(what, "sendrecv") == 0) {
    FOR_EACH MPI_Sendrecv(a, 4, MPI_INT, 0, 5, b, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
  } else if (strcmp(what, "sendrecv_of_own") == 0) {
    FOR_EACH MPI_Sendrecv(a, 4, MPI_INT, 0, 5, b, 4, MPI_INT, 0, 5, own, &status);
  } else if (strcmp(what, "irecv_send_wait") == 0) {
    FOR_EACH {
      MPI_Irecv(b, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
      MPI_Send(a, 4, MPI_INT, 0, 5, MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
    }
  } else if (strcmp(what, "waitall_of_8") == 0) {
    FOR_EACH {
      for (int k = 0; k < 4; ++k) MPI_Irecv(b, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[k]);
      for (int k = 4; k < 8; ++k) MPI_Isend(a, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[k]);
      MPI_Waitall(8, requests, statuses);
    }
  } else {
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_free(&own);
  MPI_Finalize();
  return 0;
}
