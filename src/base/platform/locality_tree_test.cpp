#include "base/platform/locality_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::platform {
namespace {

using testing::ElementsAre;

constexpr std::size_t kNone = LocalityTree::kNone;

// Cores numbered on, with so many in each part.
std::vector<Core> machine(int cores, int in_cache, int in_node, int in_socket) {
  std::vector<Core> made;
  made.reserve(static_cast<std::size_t>(cores));
  for (int i = 0; i < cores; ++i) made.push_back({i, i / in_cache, i / in_node, i / in_socket});
  return made;
}

std::vector<std::size_t> parents(const std::vector<Core>& cores) {
  std::vector<std::size_t> found;
  const LocalityTree tree(cores);
  for (const LocalityTree::Node& node : tree.nodes()) found.push_back(node.parent);
  return found;
}

TEST(LocalityTree, OneCoreIsTheRoot) {
  EXPECT_THAT(parents(machine(1, 1, 1, 1)), ElementsAre(kNone));
}

TEST(LocalityTree, CoresOfOneCacheHaveOneNode) {
  EXPECT_THAT(parents(machine(2, 2, 2, 2)), ElementsAre(2, 2, kNone));
}

TEST(LocalityTree, GoesByCachesThenNodesThenSockets) {
  EXPECT_THAT(parents(machine(8, 2, 4, 8)),
              ElementsAre(8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, kNone));
}

TEST(LocalityTree, APartWithOneCoreAddsNoLevel) {
  EXPECT_THAT(parents(machine(3, 1, 2, 3)), ElementsAre(3, 3, 4, 4, kNone));
}

TEST(LocalityTree, LargePartsAreDivided) {
  const std::vector<Core> cores = machine(20, 20, 20, 20);
  const std::vector<LocalityTree::Node> nodes = LocalityTree(cores).nodes();
  ASSERT_EQ(nodes.size(), 24U);
  EXPECT_EQ(nodes[20].children, 8U);
  EXPECT_EQ(nodes[22].children, 4U);
  EXPECT_EQ(nodes[23].children, 3U);
  EXPECT_EQ(nodes[19].parent, 22U);
}

TEST(LocalityTree, TheOrderOfCoresDoesNotMatter) {
  const std::vector<Core> cores = machine(4, 2, 4, 4);
  const std::vector<Core> dealt = {cores[0], cores[2], cores[1], cores[3]};
  EXPECT_THAT(parents(dealt), ElementsAre(4, 5, 4, 5, 6, 6, kNone));
}

// 3 sockets of 2 nodes of 3 caches of 6 cores: each node counts its children right, and each core reaches the root.
TEST(LocalityTree, CountsChildren) {
  const std::vector<Core> cores = machine(108, 6, 18, 36);
  const std::vector<LocalityTree::Node> nodes = LocalityTree(cores).nodes();
  std::vector<std::size_t> children(nodes.size());
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    ASSERT_GT(nodes[i].parent, i);
    ASSERT_LT(nodes[i].parent, nodes.size());
    ++children[nodes[i].parent];
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(nodes[i].children, children[i]) << i;
    EXPECT_LE(children[i], LocalityTree::kFanIn) << i;
    EXPECT_TRUE(i < cores.size() || children[i] >= 2) << i;
  }
  EXPECT_EQ(nodes.size(), 108U + 18 + 6 + 3 + 1);
}

}  // namespace
}  // namespace heddle::platform
