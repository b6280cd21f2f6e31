// A tool in C: knows requests by their handles.
#include <mpi.h>
#include <stdio.h>

static MPI_Request known = MPI_REQUEST_NULL;

int MPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const int error = PMPI_Irecv(buf, count, type, source, tag, comm, request);
  known = *request;
  return error;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (*request == known) {
    printf("C knows the request\n");
    fflush(stdout);
  }
  return PMPI_Wait(request, status);
}
