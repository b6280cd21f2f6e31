#include "base/platform/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::platform {
namespace {

using ::testing::ElementsAre;

// Two sockets of two NUMA nodes of two cores: caches are the nodes'.
std::vector<Core> eight_cores() {
  std::vector<Core> cores;
  cores.reserve(8);
  for (int i = 0; i < 8; ++i) cores.push_back({2 * i, i / 2, i / 2, i / 4});
  return cores;
}

TEST(Placement, BindsToThePartOfEachProcess) {
  const auto cores = eight_cores();
  EXPECT_THAT(bind_processes(2, cores, {}, Part::kCore),
              ElementsAre(ElementsAre(0), ElementsAre(4)));
  EXPECT_THAT(bind_processes(2, cores, {}, Part::kNumaNode),
              ElementsAre(ElementsAre(0, 1), ElementsAre(4, 5)));
  EXPECT_THAT(bind_processes(2, cores, {Part::kCore}, Part::kSocket),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(0, 1, 2, 3)));
}

TEST(Placement, GoesInTurnToEachPart) {
  const auto cores = eight_cores();
  EXPECT_THAT(map_to_cores(5, cores, {Part::kCore}), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(map_to_cores(6, cores, {Part::kNumaNode}), ElementsAre(0, 2, 4, 6, 1, 3));
  EXPECT_THAT(map_to_cores(6, cores, {Part::kL3Cache}), ElementsAre(0, 2, 4, 6, 1, 3));
  EXPECT_THAT(map_to_cores(5, cores, {Part::kSocket}), ElementsAre(0, 4, 1, 5, 2));
}

TEST(Placement, GoesAroundAgain) {
  const auto cores = eight_cores();
  EXPECT_THAT(map_to_cores(10, cores, {Part::kCore}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 0, 1));
  EXPECT_THAT(map_to_cores(9, cores, {Part::kNumaNode}), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7, 0));
}

TEST(Placement, NumbersPartByPart) {
  const auto cores = eight_cores();
  EXPECT_THAT(map_to_cores(6, cores, {Part::kNumaNode, true}), ElementsAre(0, 1, 2, 3, 4, 6));
  EXPECT_THAT(map_to_cores(5, cores, {Part::kSocket, true}), ElementsAre(0, 1, 2, 4, 5));
}

// One rank after the other has the same core as long as blocks say so.
TEST(Placement, GivesRanksBlocksIfNothingIsSaid) {
  const auto cores = eight_cores();
  const std::vector<std::size_t> mapped = map_to_cores(20, cores, {});
  for (std::size_t rank = 0; rank < 20; ++rank) EXPECT_EQ(mapped[rank], rank * 8 / 20);
}

TEST(Placement, DrawsTheMachine) {
  const auto cores = eight_cores();
  const std::vector<std::size_t> bound = {1, 4, 5};
  EXPECT_EQ(draw(cores, bound), "[.B|..][BB|..]");
  EXPECT_EQ(draw(std::vector<Core>{{0, 0, 0, 0}}, std::vector<std::size_t>{}), "[.]");
}

TEST(Placement, KnowsTheNamesOfParts) {
  EXPECT_EQ(part_named("core"), Part::kCore);
  EXPECT_EQ(part_named("numa"), Part::kNumaNode);
  EXPECT_EQ(part_named("package"), part_named("socket"));
  EXPECT_EQ(part_named("l3cache"), Part::kL3Cache);
  EXPECT_EQ(part_named("node"), std::nullopt);
}

}  // namespace
}  // namespace heddle::platform
