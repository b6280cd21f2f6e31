// tree.h — the tree that a rooted collective follows: a binomial tree of rank intervals.
//
//   root 0 of 8 ranks            root 5 of 8 ranks
//
//   0 ─┬─ 4 ─┬─ 6 ── 7           5 ─┬─ 0 ─┬─ 3 ── 4
//      │     └─ 5                   │     └─ 2 …
//      ├─ 2 ── 3                    └─ 6 ── 7
//      └─ 1
//
// Every subtree is an interval of ranks. So few edges leave a worker, whose ranks are an interval
// as well, and results of subtrees can be combined in rank order. The root's lower ranks are one
// subtree, headed by rank 0; every other node is the lowest of its interval.
//
// Thread safety: immutable.

#pragma once

#include <array>

namespace heddle::coll {

class Tree {
 public:
  Tree(int size, int rank, int root) noexcept;

  // -1 at the root.
  int parent() const noexcept { return parent_; }

  // The higher ranks among the children, the head of the largest subtree first: its ranks descend.
  int upper_count() const noexcept { return upper_count_; }
  int upper(int i) const noexcept { return upper_[static_cast<std::size_t>(i)]; }

  // The root's child of lower rank, or -1.
  int lower() const noexcept { return lower_; }

 private:
  // Cuts the ranks above `head` in [head, high) into subtrees. Stops at the one that contains
  // `rank` and returns its head in *head, its end in *high; returns false if there is none.
  bool descend(int rank, int* head, int* high) noexcept;

  int parent_ = -1;
  int lower_ = -1;
  int upper_count_ = 0;
  std::array<int, 31> upper_{};  // enough for 2^31 ranks
};

}  // namespace heddle::coll
