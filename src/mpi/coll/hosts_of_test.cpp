#include "mpi/coll/hosts_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

namespace heddle::coll {
namespace {

// Processes with these hosts, and their group.
struct Members {
  explicit Members(const std::vector<int>& hosts)
      : job(world::kFirstJob, static_cast<int>(hosts.size())) {
    group::Group::Members members;
    for (int i = 0; i < job.size(); ++i) {
      job.process(i).host = hosts[static_cast<std::size_t>(i)];
      members.push_back(&job.process(i));
    }
    group = object::Ref<group::Group>::adopt(new group::Group(std::move(members)));
  }
  world::Job job;
  object::Ref<group::Group> group;
};

using Blocks = std::vector<int>;

TEST(HostsOf, AreNumberedByTheirLowestRanksWhichSpeak) {
  const Members members({5, 5, 5, 2, 2, 5, 9, 9});
  const HostsOf hosts(*members.group);
  ASSERT_EQ(hosts.count(), 3);
  EXPECT_EQ(hosts.leader(0), 0);
  EXPECT_EQ(hosts.leader(1), 3);
  EXPECT_EQ(hosts.leader(2), 6);
  EXPECT_EQ(hosts.index_of(members.group->member(4)), 1);
  EXPECT_EQ(hosts.index_of(members.group->member(5)), 0);
  EXPECT_EQ(hosts.most_members(), 4);
  EXPECT_FALSE(hosts.in_blocks());
  EXPECT_EQ(hosts.blocks(*members.group, false), (Blocks{0, 1, 0, 2}));
  EXPECT_EQ(hosts.blocks(*members.group, true), (Blocks{0, 1, 2}));
}

TEST(HostsOf, InBlocksHaveOneRunEach) {
  const Members members({3, 3, 1, 1, 1, 0});
  const HostsOf hosts(*members.group);
  EXPECT_TRUE(hosts.in_blocks());
  EXPECT_EQ(hosts.blocks(*members.group, false), (Blocks{0, 1, 2}));
}

TEST(HostsOf, AgreeWithAPlainCountOnAnyLayout) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> hosts_of_ranks(random() % 30 + 1);
    for (int& host : hosts_of_ranks) host = static_cast<int>(random() % 6);
    const Members members(hosts_of_ranks);
    const HostsOf hosts(*members.group);
    std::map<int, int> count;
    Blocks blocks;
    for (std::size_t rank = 0; rank < hosts_of_ranks.size(); ++rank) {
      ++count[hosts_of_ranks[rank]];
      if (rank == 0 || hosts_of_ranks[rank] != hosts_of_ranks[rank - 1]) {
        blocks.push_back(hosts.index_of(members.group->member(static_cast<int>(rank))));
      }
    }
    const auto larger = [](const auto& a, const auto& b) { return a.second < b.second; };
    ASSERT_EQ(hosts.count(), static_cast<int>(count.size()));
    ASSERT_EQ(hosts.most_members(), std::max_element(count.begin(), count.end(), larger)->second);
    ASSERT_EQ(hosts.blocks(*members.group, false), blocks);
    ASSERT_EQ(hosts.in_blocks(), blocks.size() == count.size());
    Blocks indices(count.size());
    std::iota(indices.begin(), indices.end(), 0);
    ASSERT_EQ(hosts.blocks(*members.group, true), indices);
    for (std::size_t rank = 0; rank < hosts_of_ranks.size(); ++rank) {
      const int index = hosts.index_of(members.group->member(static_cast<int>(rank)));
      const auto lowest =
          std::find(hosts_of_ranks.begin(), hosts_of_ranks.end(), hosts_of_ranks[rank]);
      ASSERT_EQ(hosts.leader(index), lowest - hosts_of_ranks.begin());
    }
  }
}

}  // namespace
}  // namespace heddle::coll
