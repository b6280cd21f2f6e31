// timer_heap.h — deadlines of one worker's ults, the earliest first, in a pairing heap.
//
//   first ─► node ── child ─► node ── sibling ─► node ...
//                              └ child ...
//
// A parent is never later than its children. `back` of a first child is its parent, of the others
// their left sibling. The heap allocates nothing: a ult brings its own node.
//
// Cost: add and first O(1), remove O(log n) amortized.
// Thread safety: none; only its worker uses it.

#pragma once

#include <cassert>
#include <cstdint>
#include <utility>

#include "base/platform/futex.h"

namespace heddle::ult {

struct TimerNode {
  std::int64_t deadline_ns = 0;
  TimerNode* child = nullptr;
  TimerNode* sibling = nullptr;
  TimerNode* back = nullptr;
};

class TimerHeap {
 public:
  bool empty() const noexcept { return root_ == nullptr; }

  // kNever when empty.
  std::int64_t first_deadline() const noexcept {
    return root_ != nullptr ? root_->deadline_ns : platform::kNever;
  }

  void add(TimerNode& node, std::int64_t deadline_ns) noexcept {
    node = TimerNode{.deadline_ns = deadline_ns};
    root_ = meld(root_, &node);
  }

  // Requires that the node is in this heap.
  void remove(TimerNode& node) noexcept {
    assert(&node == root_ || node.back != nullptr);
    if (&node == root_) {
      root_ = meld_all(node.child);
    } else {
      (node.back->child == &node ? node.back->child : node.back->sibling) = node.sibling;
      if (node.sibling != nullptr) node.sibling->back = node.back;
      root_ = meld(root_, meld_all(node.child));
    }
  }

  // The earliest node if its deadline has come, removed; else nullptr.
  TimerNode* take_due(std::int64_t now_ns) noexcept {
    if (root_ == nullptr || root_->deadline_ns > now_ns) return nullptr;
    TimerNode* node = root_;
    remove(*node);
    return node;
  }

 private:
  // Both are roots of their own, or nullptr.
  static TimerNode* meld(TimerNode* a, TimerNode* b) noexcept {
    if (a == nullptr) return b;
    if (b == nullptr) return a;
    if (b->deadline_ns < a->deadline_ns) std::swap(a, b);
    b->sibling = a->child;
    b->back = a;
    if (a->child != nullptr) a->child->back = b;
    a->child = b;
    return a;
  }

  // Melds a list of siblings in pairs, left to right, then the pairs, right to left.
  static TimerNode* meld_all(TimerNode* list) noexcept {
    TimerNode* pairs = nullptr;
    while (list != nullptr) {
      TimerNode* a = detach(list);
      TimerNode* b = list != nullptr ? detach(list) : nullptr;
      TimerNode* pair = meld(a, b);
      pair->sibling = pairs;
      pairs = pair;
    }
    TimerNode* root = nullptr;
    while (pairs != nullptr) root = meld(root, detach(pairs));
    return root;
  }

  // Takes the head off `list`.
  static TimerNode* detach(TimerNode*& list) noexcept {
    TimerNode* head = std::exchange(list, list->sibling);
    head->sibling = head->back = nullptr;
    return head;
  }

  TimerNode* root_ = nullptr;
};

}  // namespace heddle::ult
