// balance.h — a balanced grid for a number of processes (MPI 5.0 §8.5.2, MPI_Dims_create).
//
// "As close to each other as possible" is taken literally: the largest size less the smallest is as small
// as can be. Among those grids the one with the smallest largest size is taken, then with the smallest
// second one, and so on. Example: 12 ranks in 2 dimensions are 4 x 3.
//
// Thread safety: no state.

#pragma once

#include "base/error.h"

namespace heddle::topo {

// Replaces the zeros of dims[0] to dims[count - 1] so that the product of all is `processes`. What is
// filled in does not increase from left to right. Fails if the other sizes do not divide `processes`.
Error balance(int processes, int count, int* dims);

}  // namespace heddle::topo
