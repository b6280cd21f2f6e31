/* A program begins with errno 0, in each rank, as C says. Prints "ok". */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const int error = errno;
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  if (error != 0) return printf("errno is %d\n", error), 1;
  puts("ok");
  return 0;
}
