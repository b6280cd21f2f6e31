// balance.h — a balanced grid for a number of processes (MPI 5.0 §8.5.2, MPI_Dims_create).
//
// "As close to each other as possible" is taken literally: the largest size less the smallest is as
// small as can be. Of those grids the one is taken whose smallest size is largest, then the second
// smallest, and so on. 5040 ranks are 21 x 16 x 15 and not 20 x 18 x 14.
//
// Thread safety: no state.

#pragma once

#include "base/error.h"

namespace heddle::topo {

// Replaces the zeros of dims[0] to dims[count - 1] so that the product of all is `processes`. What
// is filled in does not increase from left to right. Fails if the other sizes do not divide
// `processes`.
Error balance(int processes, int count, int* dims);

}  // namespace heddle::topo
