#include "runtime/ways/find_way.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/settings.h"
#include "runtime/job_board/job_board.h"
#include "runtime/ways/launched_way.h"
#include "runtime/ways/node_way.h"
#include "runtime/ways/page_launcher.h"

namespace heddle::runtime {

namespace {

// Whether another launcher has started this process as one of several. Where we cannot talk to that
// launcher, each of its processes would silently run as rank 0 of 1, and all would write the same
// files.
struct SignOfLauncher {
  const char* variable;
  int most;  // that a process of its own has
};

// Looks only at what the start of this process has set. SLURM_NTASKS stands in the environment of
// each batch script. prterun tells its processes no number, so its rank 0 cannot be told from a
// process of its own; the others end its job.
constexpr SignOfLauncher kSigns[] = {
    {"PMI_SIZE", 1},              // hydra, and srun with PMI-2
    {"SLURM_STEP_NUM_TASKS", 1},  // srun
    {"PMIX_RANK", 0},             // prterun, and srun with PMIx
};

Error check_started_alone() {
  for (const SignOfLauncher& sign : kSigns) {
    const char* const text = std::getenv(sign.variable);
    if (text == nullptr) continue;
    int value = 0;
    std::from_chars(text, text + std::strlen(text), value);  // what is no number stays 0
    if (value <= sign.most) continue;
    return Error::make(kErrorOther,
                       "another launcher has started this process as one of several (%s is %d), "
                       "and it cannot join them; start the "
                       "program by Heddle's mpiexec, or unset %s for a job of one rank",
                       sign.variable, value, sign.variable);
  }
  return {};
}

// Processes that mpiexec has started.
std::unique_ptr<Way> way_of_board(int memory) {
  const JobBoard& board = job_board();
  const int processes = board.page().processes;
  const bool by_network =
      settings::value(settings::Id::kNetwork) == static_cast<int>(settings::Network::kEverywhere);
  if (processes > 1 && !by_network)
    return std::make_unique<NodeWay>(board.process(), processes, memory);
  ::close(memory);
  if (processes == 1) return std::make_unique<Way>();
  return LaunchedWay::by(std::make_unique<PageLauncher>(board.page(), board.process()));
}

}  // namespace

Error find_way(int memory, std::optional<Silences> most, std::unique_ptr<Way>* found) {
  if (memory >= 0) {
    *found = way_of_board(memory);
    return {};
  }
  if (most) {
    if (Error e = LaunchedWay::find(*most, found)) return e;
  }
  if (*found != nullptr) return {};
  *found = std::make_unique<Way>();
  return most == Silences::kProgramsCome ? check_started_alone() : Error{};
}

}  // namespace heddle::runtime
