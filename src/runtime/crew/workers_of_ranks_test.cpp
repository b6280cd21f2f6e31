#include "runtime/crew/workers_of_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/platform/topology.h"

namespace heddle::runtime {
namespace {

using ::testing::ElementsAre;

const std::vector<platform::Core> kTwoNodes = {
    {0, 0, 0, 0}, {1, 0, 0, 0}, {2, 1, 1, 0}, {3, 1, 1, 0}};

TEST(WorkersOfRanks, AreBlocksIfNothingIsSaid) {
  EXPECT_THAT(workers_of_ranks(8, kTwoNodes, {}), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(workers_of_ranks(2, kTwoNodes, {}), ElementsAre(0, 2));
}

TEST(WorkersOfRanks, GoInTurnToCoresAndNodes) {
  EXPECT_THAT(workers_of_ranks(6, kTwoNodes, {platform::Part::kCore}),
              ElementsAre(0, 1, 2, 3, 0, 1));
  EXPECT_THAT(workers_of_ranks(6, kTwoNodes, {platform::Part::kNumaNode}),
              ElementsAre(0, 2, 1, 3, 0, 2));
  EXPECT_THAT(workers_of_ranks(6, kTwoNodes, {platform::Part::kNumaNode, true}),
              ElementsAre(0, 1, 0, 2, 3, 2));
}

// More workers than cores: those of one core follow each other.
TEST(WorkersOfRanks, GoToAllWorkersOfACore) {
  const std::vector<platform::Core> twice = {
      {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}};
  EXPECT_THAT(workers_of_ranks(5, twice, {platform::Part::kCore}), ElementsAre(0, 1, 2, 3, 0));
}

TEST(WorkersOfRanks, AreReported) {
  const std::vector<platform::Core>& usable = platform::usable_cores();
  const std::vector<platform::Core> one = {usable.front()};
  const std::vector<int> ranks = {4, 5, 6, 9}, workers = {0, 0, 0, 0};
  const std::string bound = report_of(ranks, workers, one, true);
  EXPECT_TRUE(bound.starts_with("mpiexec: worker 0 on [B")) << bound;
  EXPECT_TRUE(bound.ends_with(": ranks 4-6,9\n")) << bound;
  EXPECT_EQ(report_of({}, {}, one, false), "mpiexec: worker 0 is not bound: no rank\n");
}

}  // namespace
}  // namespace heddle::runtime
