// signgam, and the functions that write it. Programs find them here, because mpicc names libm behind this library.

#include <math.h>

#include "exec/process/state/of_rank/hosted.h"

extern "C" {
__attribute__((visibility("default"))) int signgam = 0;
extern __attribute__((visibility("default"), alias("signgam"))) int __signgam;
}

#include "gamma.inc"
