#include "runtime/other_launcher.h"

#include <mpi.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace heddle::runtime {

namespace {

struct Sign {
  const char* variable;
  int most;  // that a process of its own has
};

// Looks only at what the start of this process has set. SLURM_NTASKS stands in the environment of
// each batch script. prterun tells its processes no number, so its rank 0 cannot be told from a
// process of its own; the others end its job.
constexpr Sign kSigns[] = {
    {"PMI_SIZE", 1},              // hydra, and srun with PMI-2
    {"SLURM_STEP_NUM_TASKS", 1},  // srun
    {"PMIX_RANK", 0},             // prterun, and srun with PMIx
};

}  // namespace

Error check_started_alone() {
  for (const Sign& sign : kSigns) {
    const char* const text = std::getenv(sign.variable);
    if (text == nullptr) continue;
    int value = 0;
    std::from_chars(text, text + std::strlen(text), value);  // what is no number stays 0
    if (value <= sign.most) continue;
    return Error::make(MPI_ERR_OTHER,
                       "another launcher has started this process as one of several (%s is %d), "
                       "and it cannot join them; start the "
                       "program by Heddle's mpiexec, or unset %s for a job of one rank",
                       sign.variable, value, sign.variable);
  }
  return {};
}

}  // namespace heddle::runtime
