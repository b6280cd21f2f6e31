#include "mpi/coll/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heddle::coll {
namespace {

// The ranks below `rank`, itself included, by following the children.
std::vector<int> subtree(int size, int rank, int root, int star) {
  std::vector<int> members{rank};
  const Tree tree(size, rank, root, star);
  std::vector<int> children;
  if (tree.lower() >= 0) children.push_back(tree.lower());
  for (int i = 0; i < tree.upper_count(); ++i) children.push_back(tree.upper(i));
  for (const int child : children) {
    EXPECT_EQ(Tree(size, child, root, star).parent(), rank);
    for (const int member : subtree(size, child, root, star)) members.push_back(member);
  }
  return members;
}

void expect_intervals(int size, int root, int star) {
  SCOPED_TRACE(::testing::Message() << size << " ranks, root " << root << ", stars of " << star);
  EXPECT_EQ(Tree(size, root, root, star).parent(), -1);
  for (int rank = 0; rank < size; ++rank) {
    std::vector<int> members = subtree(size, rank, root, star);
    std::sort(members.begin(), members.end());
    for (std::size_t i = 1; i < members.size(); ++i) ASSERT_EQ(members[i], members[i - 1] + 1);
    if (rank == root) {
      ASSERT_EQ(members.size(), static_cast<std::size_t>(size));
    } else {
      ASSERT_EQ(members.front(), rank);  // the lowest of its interval
    }
  }
}

TEST(Tree, ReachesEveryRankOnceAndEverySubtreeIsAnInterval) {
  for (const int star : {1, 2, 5, 16}) {
    for (int size = 1; size <= 40; ++size) {
      for (int root = 0; root < size; ++root) expect_intervals(size, root, star);
    }
  }
}

TEST(Tree, OfStarsHasFewInnerNodes) {
  int inner = 0;
  for (int rank = 0; rank < 256; ++rank) inner += Tree(256, rank, 0, 16).upper_count() > 0;
  EXPECT_EQ(inner, 16);
}

TEST(Tree, IsLogarithmic) {
  const int size = 1 << 20;
  const Tree tree(size, 0, 0);
  EXPECT_EQ(tree.upper_count(), 20);
  int depth = 0;
  for (int rank = size - 1; rank > 0; rank = Tree(size, rank, 0).parent()) ++depth;
  EXPECT_LE(depth, 20);
}

TEST(Tree, OfTwoBlocksHasOneEdgeBetweenThem) {
  const int size = 256;
  int between = 0;
  for (int rank = 1; rank < size; ++rank) {
    between += (rank < size / 2) != (Tree(size, rank, 0).parent() < size / 2);
  }
  EXPECT_EQ(between, 1);
}

}  // namespace
}  // namespace heddle::coll
