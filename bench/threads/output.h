/* output.h - what options.c needs of output.c. */
#ifndef BENCH_THREADS_OUTPUT_H
#define BENCH_THREADS_OUTPUT_H

#include "common.h"

void output_begin(const Bench* bench); /* asks the library for its name; after MPI_Init_thread */

const char* output_library(void); /* "MPICH 5.0.2" */

#endif
