/* Each rank has its own sign of the gamma function: lgamma(-0.5) is that of a negative number, lgamma(-1.5) of a positive one.
 * Prints "ok". */
#define _DEFAULT_SOURCE
#include <math.h>
#include <mpi.h>
#include <stdio.h>

static int failed;

static void check(const char* name, double result, double argument) {
  int wanted = 0;
  const double value = lgamma_r(argument, &wanted);
  MPI_Barrier(MPI_COMM_WORLD);
  if (signgam == wanted && fabs(result - value) < 1e-6) return;
  failed = 1;
  printf("%s(%g): %g, sign %d\n", name, argument, result, signgam);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  volatile double argument = -0.5 - rank;
  for (int turn = 0; turn < 100; ++turn) {
    check("lgamma", lgamma(argument), argument);
    check("lgammaf", lgammaf((float)argument), argument);
    check("lgammal", (double)lgammal(argument), argument);
    check("gamma", gamma(argument), argument);
  }
  if (!failed) puts("ok");
  MPI_Finalize();
  return failed;
}
