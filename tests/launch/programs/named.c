// All wait in a communicator that the program has made. argv[1] says which.
#include <mpi.h>
#include <string.h>

int main(int count, char** arguments) {
  const char* const how = arguments[1];
  int rank, number;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm = MPI_COMM_SELF;
  if (strcmp(how, "self") != 0) MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  if (strcmp(how, "named") == 0 || strcmp(how, "barrier") == 0) MPI_Comm_set_name(comm, "halo");
  if (strcmp(how, "barrier") == 0 && rank != 0) MPI_Barrier(comm);
  MPI_Recv(&number, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
