#include "mpi/op/kernels.h"

namespace heddle::op {

namespace {

const Table& best_table() noexcept {
  __builtin_cpu_init();  // the library may be about to be loaded
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return kAvx512Kernels;
  }
  return __builtin_cpu_supports("avx2") ? kAvx2Kernels : kUsualKernels;
}

}  // namespace

const Row& best_row(Predefined operation) noexcept {
  return best_table()[static_cast<std::size_t>(operation)];
}

}  // namespace heddle::op
