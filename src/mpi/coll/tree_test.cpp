#include "mpi/coll/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heddle::coll {
namespace {

std::vector<int> children(const Tree& tree, int host) {
  std::vector<int> found;
  tree.for_each_child(host, [&](int child) { found.push_back(child); });
  return found;
}

// The subtree's hosts, each before those below it.
std::vector<int> subtree(const Tree& tree, int host) {
  std::vector<int> all{host};
  for (const int child : children(tree, host)) {
    const std::vector<int> below = subtree(tree, child);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

// So it has each host once, and subtrees are rows.
TEST(Tree, ListsItsHostsInOrder) {
  for (const int fan : {2, 3, 8}) {
    for (int hosts = 1; hosts <= 100; ++hosts) {
      const Tree tree(hosts, fan);
      const std::vector<int> all = subtree(tree, 0);
      ASSERT_EQ(all.size(), static_cast<std::size_t>(hosts));
      for (int i = 0; i < hosts; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
    }
  }
}

TEST(Tree, ChildrenKnowTheirParent) {
  for (const int fan : {2, 3, 8}) {
    const Tree tree(100, fan);
    for (int host = 0; host < 100; ++host) {
      for (const int child : children(tree, host)) ASSERT_EQ(tree.parent(child), host);
    }
  }
}

TEST(Tree, GoesDownToTheSameChildrenAsUp) {
  for (const int fan : {2, 3, 8}) {
    const Tree tree(100, fan);
    for (int host = 0; host < 100; ++host) {
      std::vector<int> back;
      tree.for_each_child_back(host, [&](int child) { back.push_back(child); });
      std::sort(back.begin(), back.end());
      ASSERT_EQ(back, children(tree, host));
    }
  }
}

}  // namespace
}  // namespace heddle::coll
