/* A profiling library that is linked before MPI's: counts some calls of its rank, and says them at the end. */
#include <mpi.h>
#include <stdio.h>

static int sends, receives, reductions, initializations, level = 1;

int MPI_Init(int* argc, char*** argv) {
  initializations++;
  return PMPI_Init(argc, argv);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  sends += level > 0;
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  receives += level > 0;
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  reductions += level > 0;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Pcontrol(const int wanted, ...) {
  level = wanted;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d: %d init, %d send, %d recv, %d allreduce\n", rank, initializations, sends,
         receives, reductions);
  return PMPI_Finalize();
}
