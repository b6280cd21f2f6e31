#include "mpi/op/loops.h"

const heddle::op::Table heddle::op::kUsualKernels = heddle::op::kLoops;
