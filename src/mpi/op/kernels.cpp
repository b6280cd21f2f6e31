#include "mpi/op/kernels.h"

namespace heddle::op {

namespace {

const Table& best_table() noexcept {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return kAvx512Kernels;
  }
  return __builtin_cpu_supports("avx2") ? kAvx2Kernels : kUsualKernels;
}

}  // namespace

Kernel kernel(Predefined operation, datatype::Representation representation) noexcept {
  static const Table& table = best_table();
  return table[static_cast<std::size_t>(operation)][static_cast<std::size_t>(representation)];
}

}  // namespace heddle::op
