#include "mpi/op/loops.h"

const heddle::op::Table heddle::op::kAvx2Kernels = heddle::op::kLoops;
