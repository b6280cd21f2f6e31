// Exceptions of floating point: a rank has flags and traps of its own, as a process has. Even ranks divide by zero,
// masked; odd ones trap that and do not do it. With "plugin FILE", the code that looks at flags is in FILE.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifndef PLUGIN
static int (*look)(int flags);
#endif
#ifdef WITH_LOOK
#ifndef PLUGIN
static
#endif
    int
    look_here(int flags) {
  return fetestexcept(flags);
}
#endif

#ifndef PLUGIN
static volatile long double zero = 0, one = 1, three = 3, result;
static volatile double small_zero = 0, small_one = 1, small_three = 3, small_result;

static int wrong(int rank, const char* kind) {
  // Inexact is raised by the division by three alone.
  const int wanted = rank % 2 == 0 ? FE_DIVBYZERO : FE_INEXACT;
  const int flags = look(FE_ALL_EXCEPT);
  if (flags == wanted) return 0;
  printf("rank %d: %s gave flags %x, not %x\n", rank, kind, flags, wanted);
  return 1;
}

int main(int argc, char** argv) {
  int rank, wrongs = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef WITH_LOOK
  look = look_here;
#else
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  *(void**)&look = plugin == NULL ? NULL : dlsym(plugin, "look_here");
  if (look == NULL) return 2;
#endif
  if (rank % 2) feenableexcept(FE_DIVBYZERO | FE_INVALID);
  for (int i = 0; i < 50; ++i) {
    for (int kind = 0; kind < 3; ++kind) {
      static const char* const kinds[] = {"long double", "double", "feraiseexcept"};
      feclearexcept(FE_ALL_EXCEPT);
      MPI_Barrier(MPI_COMM_WORLD);
      if (kind == 0) result = rank % 2 ? one / three : one / zero;
      if (kind == 1) small_result = rank % 2 ? small_one / small_three : small_one / small_zero;
      if (kind == 2) feraiseexcept(rank % 2 ? FE_INEXACT : FE_DIVBYZERO);
      MPI_Barrier(MPI_COMM_WORLD);
      wrongs += wrong(rank, kinds[kind]);
    }
  }
  printf("%d wrong\n", wrongs);
  MPI_Finalize();
  return 0;
}
#endif
