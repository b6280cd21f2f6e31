// batches ROUNDS [derived|single]: two ranks send each other 12 messages a round, as the Neighbor Message Rate does (12 receives,
// 12 sends, Waitall). The messages are empty; `derived`: of a vector of two blocks, by a communicator and a type that the program
// has made; `single`: by MPI_Init in place of MPI_THREAD_MULTIPLE. `locked.py` runs it.

#include <mpi.h>
#include <stdlib.h>

enum { kBatch = 12 };

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 100;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Datatype type = MPI_BYTE;
  int level, rank;
  static char data[16];
  const int count = argc > 2 && argv[2][0] == 'd';
  if (argc > 2 && argv[2][0] == 's') {
    MPI_Init(&argc, &argv);
  } else {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count != 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_vector(2, 4, 8, MPI_BYTE, &type);
    MPI_Type_commit(&type);
  }
  for (long i = 0; i < rounds; ++i) {
    MPI_Request requests[2 * kBatch];
    for (int b = 0; b < kBatch; ++b) {
      MPI_Irecv(data, count, type, 1 - rank, 0, comm, &requests[b]);
    }
    for (int b = 0; b < kBatch; ++b) {
      MPI_Isend(data, count, type, 1 - rank, 0, comm, &requests[kBatch + b]);
    }
    MPI_Waitall(2 * kBatch, requests, MPI_STATUSES_IGNORE);
  }
  if (count != 0) {
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
