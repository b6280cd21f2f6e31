// Regions in a constructor, in main and in a destructor; each prints the size of its team.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static void team(const char* where) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  printf("%s %d %d\n", where, threads, omp_get_max_threads());
  fflush(stdout);
}

__attribute__((constructor)) static void construct(void) {
  team("constructor");
}
__attribute__((destructor)) static void destroy(void) {
  team("destructor");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  team("main");
  MPI_Finalize();
}
