#include "mpi/op/loops.h"

const heddle::op::Table heddle::op::kAvx512Kernels = heddle::op::kLoops;
