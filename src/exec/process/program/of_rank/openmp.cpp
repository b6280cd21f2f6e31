// LLVM's OpenMP (libomp) in a rank. Each rank has a private copy, whose teams are threads of the rank, that is ults.
//
// Its copies tell each other that they are in one process, through a segment of shared memory. So a copy is started
// before main, by one rank at a time, and told that it is not alone. It must end with the rank: else the end
// of the process waits for threads that no worker runs any more.

#include <stdlib.h>

#include "exec/process/state/of_rank/hosted.h"

namespace heddle::process_of_rank {

namespace {
constexpr int kPauseHard = 2;  // omp_pause_hard

// A function of libomp; nullptr where the program has none, or GNU's libgomp, which all ranks share.
template <class Function>
Function* of_libomp(const char* name) noexcept {
  return next<int()>("kmp_get_blocktime") != nullptr ? next<Function>(name) : nullptr;
}
}  // namespace

void start_openmp() {
  auto* const most_threads = of_libomp<int()>("omp_get_max_threads");
  if (most_threads == nullptr) return;
  const bool added = getenv("KMP_DUPLICATE_LIB_OK") == nullptr;
  if (added) setenv("KMP_DUPLICATE_LIB_OK", "TRUE", 1);
  most_threads();
  if (added) unsetenv("KMP_DUPLICATE_LIB_OK");
}

void end_openmp() {
  auto* const pause = of_libomp<int(int)>("omp_pause_resource_all");
  if (pause != nullptr) pause(kPauseHard);
}

}  // namespace heddle::process_of_rank
