// Random programs of neighborhood collectives: several random topologies at the same time, operations under way in all
// of them, against a plain reference (neighborhood.h). ./dev seeds runs more of them.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "src/base/test_seeds.h"
#include "tests/random/neighborhood.h"
#include "tests/random/under_way.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

void run_program(int rank, int steps) {
  Dice dice(seed()), local(mix(seed(), static_cast<unsigned>(rank)));
  UnderWay<NeighborOperation> under_way(local);
  std::vector<Neighborhood> all;
  for (int step = 0; step < steps; ++step) {
    if (all.empty() || (dice.below(5) == 0 && all.size() < 6)) {
      all.push_back(random_neighborhood(MPI_COMM_WORLD, dice));
    }
    const auto at = static_cast<std::size_t>(dice.below(static_cast<int>(all.size())));
    const unsigned long numbers = dice.number();
    Dice of_operation(numbers);
    const int rounds = of_operation.below(3) + 1;
    if (all[at].comm != MPI_COMM_NULL) {
      under_way.perform(std::make_unique<NeighborOperation>(
                            all[at], static_cast<unsigned long>(step), of_operation, local),
                        rounds);
      under_way.finish(local.below(8));
    }
    if (dice.below(10) == 0) {  // operations on it may be under way
      if (all[at].comm != MPI_COMM_NULL) {
        EXPECT_EQ(MPI_Comm_free(&all[at].comm), MPI_SUCCESS);
      }
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  under_way.finish(0);
  for (Neighborhood& each : all) {
    if (each.comm != MPI_COMM_NULL) MPI_Comm_free(&each.comm);
  }
}

}  // namespace

RANKS_TEST(RandomNeighbors, GetWhatAPlainReferenceGives, ranks(1, 2, 3, 4, 7, 16)) {
  run_program(rank, heddle::TestSeeds::many() ? 25 : 80);
}
