// The heddle-host of the tests: its job has the hosts that variables of the environment ask for
// (pretended_hosts.h), one if they ask for nothing.

#include <numeric>
#include <span>

#include "launch/host/start.h"
#include "tests/support/pretended_hosts.h"

namespace {

using heddle::testing::PretendedHosts;

int ranks_of(const heddle_job& job) {
  const std::span programs(job.programs, static_cast<std::size_t>(job.program_count));
  return std::accumulate(programs.begin(), programs.end(), 0,
                         [](int ranks, const auto& program) { return ranks + program.ranks; });
}

int run(const heddle_job* job) {
  return PretendedHosts(heddle::testing::hosts_from_environment(ranks_of(*job))).run(*job);
}

}  // namespace

int main(int argc, char** argv) {
  return heddle::launch::start(argc, argv, run);
}
