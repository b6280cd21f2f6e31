/* Ends with the status $EARLY before main begins, or with $LATE when it is over; or loads $PLUGIN, which
 * ends it. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void early(void) {
  if (getenv("EARLY") == NULL) return;
  puts("ended in a constructor");
  exit(atoi(getenv("EARLY")));
}

__attribute__((destructor)) static void late(void) {
  if (getenv("LATE") != NULL) _exit(atoi(getenv("LATE")));
}

int main(int argc, char** argv) {
  if (getenv("PLUGIN") != NULL) dlopen(getenv("PLUGIN"), RTLD_NOW);
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
