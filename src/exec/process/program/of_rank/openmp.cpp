// LLVM's OpenMP (libomp) in a rank. Each rank has a private copy, whose teams are threads of the rank, that is ults.
//
// Its copies tell each other that they are in one process, through a segment of shared memory. So a copy is started
// before main, by one rank at a time, and told that it is not alone. It must end with the rank: else the end
// of the process waits for threads that no worker runs any more.
//
// A copy would make teams of as many threads as the process has CPUs, in each rank. So it is told the rank's share of the cores,
// where the user has not said how many, and omp_get_num_procs says the same. (A copy that is shown fewer CPUs would
// bind its threads to them, and the workers with them.)

#include <stdio.h>
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

int processors_of_rank(int (*all)()) noexcept {
  const int processors = all != nullptr ? all() : 1;
  return rank_hooks() != nullptr && own_rank().cores < processors ? own_rank().cores : processors;
}

}  // namespace

void start_openmp() {
  auto* const most_threads = of_libomp<int()>("omp_get_max_threads");
  if (most_threads == nullptr) return;
  setenv("KMP_DUPLICATE_LIB_OK", "TRUE",
         0);  // to stay: omp_pause_resource_all starts the copy anew
  const bool chosen = getenv("OMP_NUM_THREADS") != nullptr;
  char cores[16];
  snprintf(cores, sizeof cores, "%d", own_rank().cores);
  setenv("OMP_NUM_THREADS", cores, 0);
  most_threads();
  if (!chosen) unsetenv("OMP_NUM_THREADS");
}

void end_openmp() {
  auto* const pause = of_libomp<int(int)>("omp_pause_resource_all");
  if (pause != nullptr) pause(kPauseHard);
}

}  // namespace heddle::process_of_rank

using namespace heddle::process_of_rank;

HEDDLE_EXPORT int omp_get_num_procs() {
  static auto* const libomp = next<int()>("omp_get_num_procs");
  return processors_of_rank(libomp);
}

HEDDLE_EXPORT int omp_get_num_procs_() {  // Fortran's
  static auto* const libomp = next<int()>("omp_get_num_procs_");
  return processors_of_rank(libomp);
}
