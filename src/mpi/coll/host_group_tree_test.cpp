// The tree of a host group on a machine of two NUMA nodes with eight cores each, which hwloc makes up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "base/platform/locality_tree.h"
#include "base/platform/topology.h"
#include "mpi/coll/places.h"

namespace heddle::coll {
namespace {

using platform::LocalityTree;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

constexpr std::size_t kNone = LocalityTree::kNone;
constexpr int kWorkers = 16;

// Set before any code looks at the machine.
const int kMadeUp = setenv("HWLOC_SYNTHETIC", "numa:2 core:8 pu:1", 1);

class HostGroupTree : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(kMadeUp, 0);
    ASSERT_THAT(platform::usable_cpus(), SizeIs(kWorkers)) << "hwloc has not made it up";
  }

  // Of a host group whose members are on these workers.
  static Places places_of(const std::vector<int>& workers) {
    world::Job job(world::kFirstJob, static_cast<int>(workers.size()));
    group::Group::Members members;
    for (int rank = 0; rank < job.size(); ++rank) {
      job.process(rank).worker = workers[static_cast<std::size_t>(rank)];
      members.push_back(&job.process(rank));
    }
    const auto group = object::Ref<group::Group>::adopt(new group::Group(std::move(members)));
    std::vector<int> ranks(workers.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    return {*group, ranks};
  }

  static std::vector<std::size_t> parents(const Places& places) {
    std::vector<std::size_t> found;
    const LocalityTree tree(places.cores());
    for (const LocalityTree::Node& node : tree.nodes()) found.push_back(node.parent);
    return found;
  }
};

TEST_F(HostGroupTree, JoinsTheCoresOfANodeFirst) {
  std::vector<int> workers(kWorkers);
  std::iota(workers.begin(), workers.end(), 0);
  EXPECT_THAT(parents(places_of(workers)), ElementsAre(16, 16, 16, 16, 16, 16, 16, 16,  //
                                                       17, 17, 17, 17, 17, 17, 17, 17,  //
                                                       18, 18, kNone));
}

TEST_F(HostGroupTree, HasAPlaceForEachWorkerHoweverManyMembersItHas) {
  std::vector<int> workers(std::size_t{4} * kWorkers);
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    workers[rank] = static_cast<int>(rank % kWorkers);
  }
  const Places places = places_of(workers);
  EXPECT_THAT(places.members_at(), testing::AllOf(SizeIs(kWorkers), Each(4)));
  EXPECT_THAT(parents(places), SizeIs(16 + 2 + 1));
}

// Places are numbered as members come; workers 1 and 5 are of the one node, 8, 9 and 15 of the other.
TEST_F(HostGroupTree, HasOnlyTheWorkersOfItsMembers) {
  const Places places = places_of({8, 1, 15, 5, 9, 8});
  EXPECT_THAT(places.workers(), ElementsAre(8, 1, 15, 5, 9));
  EXPECT_THAT(places.members_at(), ElementsAre(2, 1, 1, 1, 1));
  EXPECT_THAT(parents(places), ElementsAre(5, 6, 5, 6, 5, 7, 7, kNone));
}

TEST_F(HostGroupTree, OfOneMemberOnEachNodeIsARootAlone) {
  EXPECT_THAT(parents(places_of({3, 12})), ElementsAre(2, 2, kNone));
}

}  // namespace
}  // namespace heddle::coll
