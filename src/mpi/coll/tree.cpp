#include "mpi/coll/tree.h"

namespace heddle::coll {

Tree::Tree(int size, int rank, int root, int star) noexcept {
  int head = root, high = size;
  if (rank < root) {
    parent_ = root;
    head = 0;
    high = root;
  } else if (rank == root && root > 0) {
    lower_ = 0;
  }
  while (rank != head) {
    parent_ = head;
    descend(rank, star, &head, &high);
  }
  descend(rank, star, &head, &high);
}

bool Tree::descend(int rank, int star, int* head, int* high) noexcept {
  upper_count_ = 0;
  int end = *high;
  while (end - *head > 1) {
    const int ranks = end - *head;
    const int child = ranks <= star ? end - 1 : end - ranks / 2;
    if (rank >= child) {
      *head = child;
      *high = end;
      return true;
    }
    upper_[static_cast<std::size_t>(upper_count_++)] = child;
    end = child;
  }
  return false;
}

}  // namespace heddle::coll
