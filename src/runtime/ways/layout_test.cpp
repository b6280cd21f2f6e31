#include "runtime/ways/layout.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::runtime {
namespace {

TEST(Layout, BlocksAreConsecutiveAndEven) {
  for (const int ranks : {1, 2, 7, 64, 1000}) {
    for (const int hosts : {1, 2, 3, 7}) {
      Pretence pretence;
      pretence.hosts = hosts;
      const Layout layout(ranks, pretence);
      EXPECT_EQ(layout.hosts(), std::min(hosts, ranks)) << "no host is without ranks";
      EXPECT_TRUE(std::is_sorted(layout.host_of_rank.begin(), layout.host_of_rank.end()));
      for (int host = 0; host < layout.hosts(); ++host) {
        const auto here = std::count(layout.host_of_rank.begin(), layout.host_of_rank.end(), host);
        EXPECT_GE(here, ranks / layout.hosts());
        EXPECT_LE(here, (ranks + layout.hosts() - 1) / layout.hosts());
      }
    }
  }
}

TEST(Layout, ATestPlacesRanksAndHostsAsItLikes) {
  Pretence pretence;
  pretence.hosts = 3;
  pretence.host_of = [](int rank, int, int hosts) { return (rank + 1) % hosts; };
  pretence.hosts_a_node = 2;
  const Layout layout(5, pretence);
  EXPECT_EQ(layout.host_of_rank, (std::vector<int>{1, 2, 0, 1, 2}));
  EXPECT_EQ(layout.node_of_host, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(layout.node(0), 0);
  EXPECT_EQ(layout.node(1), 1);
}

TEST(Layout, UsuallyOneHostHasAllRanks) {
  const Layout layout(4);
  EXPECT_EQ(layout.hosts(), 1);
  EXPECT_EQ(layout.ranks(), 4);
  EXPECT_EQ(layout.node(3), 0);
}

}  // namespace
}  // namespace heddle::runtime
