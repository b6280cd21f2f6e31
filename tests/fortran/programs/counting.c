// A tool in C: counts the sends of its rank, whatever language calls.
#include <mpi.h>
#include <stdio.h>

static int sends = 0;

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Finalize(void) {
  printf("C saw %d sends\n", sends);
  return PMPI_Finalize();
}
