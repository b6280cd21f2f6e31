/* Makes a mistake before MPI_Init, after it and after MPI_Finalize, and says which calls returned. */
#include <mpi.h>
#include <stdio.h>

static void fail(const char* when) {
  int size;
  printf("%s %s\n", when, MPI_Comm_size(MPI_COMM_NULL, &size) == MPI_SUCCESS ? "fine" : "returned");
}

static const char* handler_of(MPI_Comm comm) {
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(comm, &handler);
  return handler == MPI_ERRORS_RETURN ? "return" : handler == MPI_ERRORS_ABORT ? "abort" : "fatal";
}

int main(void) {
  fail("before");
  MPI_Init(NULL, NULL);
  printf("%s %s\n", handler_of(MPI_COMM_WORLD), handler_of(MPI_COMM_SELF));
  fail("within");
  MPI_Finalize();
  fail("after");
  return 0;
}
