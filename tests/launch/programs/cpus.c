/* On how many CPUs a rank may run. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>

int main(int argc, char** argv) {
  cpu_set_t allowed;
  MPI_Init(&argc, &argv);
  sched_getaffinity(0, sizeof allowed, &allowed);
  printf("bound to %d\n", CPU_COUNT(&allowed));
  MPI_Finalize();
  return 0;
}
