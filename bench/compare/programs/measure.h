/* measure.h - what the programs here have in common. Each prints lines "RESULT name value". */
#ifndef MEASURE_H
#define MEASURE_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPETITIONS = 5 };

static inline int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

/* Runs `body(iterations, argument)` so often that it takes about `seconds`, REPETITIONS times;
 * returns the median of the seconds of one iteration on rank 0. Every rank of MPI_COMM_WORLD calls
 * it. */
static inline double seconds_each(void (*body)(long, void*), void* argument, double seconds) {
  double found[REPETITIONS];
  long iterations = 1;
  for (;;) { /* doubles until it takes a tenth of the time: a short trial can mislead */
    const double start = MPI_Wtime();
    body(iterations, argument);
    double took = MPI_Wtime() - start;
    MPI_Bcast(&took, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (took > seconds / 10) {
      iterations = (long)((double)iterations * seconds / took) + 1;
      break;
    }
    iterations *= 2;
  }
  for (int i = 0; i < REPETITIONS; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    body(iterations, argument);
    found[i] = (MPI_Wtime() - start) / (double)iterations;
  }
  return median(found, REPETITIONS);
}

static const int kSizes[] = {0, 8, 64, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, -1};

#endif
