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

// A variable of the environment while it lives, where the program has not set it.
class Variable {
 public:
  Variable(const char* name, const char* value) noexcept
      : name_(name), added_(getenv(name) == nullptr) {
    if (added_) setenv(name_, value, 1);
  }
  ~Variable() {
    if (added_) unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
  const bool added_;
};

int processors_of_rank(int (*all)()) noexcept {
  const int processors = all != nullptr ? all() : 1;
  return rank_hooks() != nullptr && own_rank().cores < processors ? own_rank().cores : processors;
}

}  // namespace

void start_openmp() {
  auto* const most_threads = of_libomp<int()>("omp_get_max_threads");
  if (most_threads == nullptr) return;
  char cores[16];
  snprintf(cores, sizeof cores, "%d", own_rank().cores);
  const Variable size_of_teams("OMP_NUM_THREADS", cores);
  const Variable not_alone("KMP_DUPLICATE_LIB_OK", "TRUE");
  most_threads();
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
