// tree.h — the tree that a collective follows: a binomial tree of rank intervals, the smallest of
// which are stars.
//
//   root 0 of 8 ranks, stars of 1       root 5 of 8 ranks       root 0 of 8 ranks, stars of 4
//
//   0 ─┬─ 4 ─┬─ 6 ── 7                  5 ─┬─ 0 ─┬─ 3 ── 4      0 ─┬─ 4 ─┬─ 7
//      │     └─ 5                          │     └─ 2 …            │     ├─ 6
//      ├─ 2 ── 3                           └─ 6 ── 7               │     └─ 5
//      └─ 1                                                        ├─ 3 …
//
// Every subtree is an interval of ranks. So few edges leave a worker, whose ranks are an interval
// as well, and results of subtrees can be combined in rank order. The root's lower ranks are one
// subtree, headed by rank 0; every other node is the lowest of its interval.
//
// In a star most ranks are leaves, which wait once and not twice in a collective that goes up and
// down: right for small messages and many ranks on a worker. For large ones it would leave all the
// work to the head.
//
// Thread safety: immutable.

#pragma once

#include <mpi.h>

#include <array>

namespace heddle::coll {

class Tree {
 public:
  Tree(int size, int rank, int root, int star = 1) noexcept;

  // The size of stars for messages of so many bytes. The same at all ranks.
  static int star_for(MPI_Count bytes) noexcept { return bytes <= kSmall ? kStar : 1; }

  // -1 at the root.
  int parent() const noexcept { return parent_; }

  // The higher ranks among the children, descending; so the head of the largest subtree is first.
  int upper_count() const noexcept { return upper_count_; }
  int upper(int i) const noexcept { return upper_[static_cast<std::size_t>(i)]; }

  // The root's child of lower rank, or -1.
  int lower() const noexcept { return lower_; }

 private:
  static constexpr MPI_Count kSmall = 1024;
  static constexpr int kStar = 16;

  // Cuts the ranks above `head` in [head, high) into subtrees. Stops at the one that contains
  // `rank` and returns its head in *head, its end in *high; returns false if there is none.
  bool descend(int rank, int star, int* head, int* high) noexcept;

  int parent_ = -1;
  int lower_ = -1;
  int upper_count_ = 0;
  std::array<int, 31 + kStar> upper_;  // enough for 2^31 ranks
};

}  // namespace heddle::coll
