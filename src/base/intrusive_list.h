// intrusive_list.h — a doubly linked list whose links live in its elements.
//
// No allocation, O(1) insert and erase from the middle. An element is in one list at a time per
// link. Elements derive from ListNode (or from several ListNode<Tag> to be in several lists).
//
// Thread safety: none; the owner of the list locks.
//
// Invariants
//   I1  node.next == nullptr exactly while the node is in no list.
//   I2  The list is a ring through head_, so insert and erase have no special case.

#pragma once

#include <cassert>

namespace heddle {

template <class Tag = void>
struct ListNode {
  ListNode* next = nullptr;
  ListNode* previous = nullptr;
  bool linked() const noexcept { return next != nullptr; }
};

template <class T, class Tag = void>
class IntrusiveList {
  using Node = ListNode<Tag>;

 public:
  template <class Element, class Link>
  class Iterator {
   public:
    explicit Iterator(Link* node) noexcept : node_(node) {}
    Element& operator*() const noexcept { return static_cast<Element&>(*node_); }
    Element* operator->() const noexcept { return static_cast<Element*>(node_); }
    Iterator& operator++() noexcept {
      node_ = node_->next;
      return *this;
    }
    bool operator==(const Iterator& other) const noexcept { return node_ == other.node_; }

   private:
    Link* node_;
  };
  using iterator = Iterator<T, Node>;
  using const_iterator = Iterator<const T, const Node>;

  constexpr IntrusiveList() noexcept { head_.next = head_.previous = &head_; }
  IntrusiveList(IntrusiveList&&) = delete;

  bool empty() const noexcept { return head_.next == &head_; }
  T* front() noexcept { return empty() ? nullptr : static_cast<T*>(head_.next); }

  void push_back(T& element) noexcept { insert(head_, element); }
  void push_front(T& element) noexcept { insert(*head_.next, element); }

  static void erase(T& element) noexcept {
    Node& node = element;
    assert(node.linked());
    node.previous->next = node.next;
    node.next->previous = node.previous;
    node.next = node.previous = nullptr;
  }

  T* pop_front() noexcept {
    T* element = front();
    if (element != nullptr) erase(*element);
    return element;
  }

  iterator begin() noexcept { return iterator(head_.next); }
  iterator end() noexcept { return iterator(&head_); }
  const_iterator begin() const noexcept { return const_iterator(head_.next); }
  const_iterator end() const noexcept { return const_iterator(&head_); }

  // True if I2 holds: every link leads back.
  bool is_valid() const noexcept {
    const Node* node = &head_;
    do {
      if (node->next == nullptr || node->next->previous != node) return false;
      node = node->next;
    } while (node != &head_);
    return true;
  }

 private:
  static void insert(Node& position, Node& node) noexcept {
    assert(!node.linked());
    node.next = &position;
    node.previous = position.previous;
    position.previous->next = &node;
    position.previous = &node;
  }

  Node head_;
};

}  // namespace heddle
