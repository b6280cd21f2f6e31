// signgam, and the functions that write it. Programs find them here, because mpicc names libm
// behind this library.

#include <math.h>

#include "exec/process/state/of_rank/hosted.h"

#if defined(__clang__)  // clang-tidy: libc's headers give clang 14 no such type
using _Float128 = __float128;
extern "C" _Float128 lgammaf128_r(_Float128 x, int* sign) noexcept;
#endif

extern "C" {
__attribute__((visibility("default"))) int signgam = 0;
extern __attribute__((visibility("default"), alias("signgam"))) int __signgam;
}

#include "gamma.inc"
