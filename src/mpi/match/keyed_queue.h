// keyed_queue.h — a queue for each key, in a hash table that grows; the links are in the elements.
//
//   bucket ──► head A ──next_key──► head B ──► null        one head a key
//                │ younger            │
//                ▼                    ▼
//              A, second           (itself: alone)
//                │
//                ▼
//              A, youngest ──► itself ◄── youngest_: pushed last of all
//
// So a thousand elements of one key cost a lookup of another key nothing. The table starts with one
// bucket inside the object: real queues hold few keys, and a short list next to the lock costs
// fewer cache lines than any table. A list of elements in each bucket, keys mixed, was rejected
// because a long queue of one key slows its neighbours.
//
// One core may push while another takes: receives that are posted while messages arrive. So a push
// behind an element of the same key touches that one and the queue, not the head; and to take a
// head touches it, the next one and the queue, not the youngest.
//
// Thread safety: none; the owner locks. Nothing is allocated but the bucket array, when there are
// more keys than buckets; without memory the chains just stay long.
//
// Invariants
//   I1  node.younger == nullptr exactly while the node is in no queue.
//   I2  From a head on, `younger` leads to its key's elements in push order; the last is its own.
//       The head is the one in the bucket's chain.
//   I3  keys_ is the number of heads.
//   I4  youngest_ is the youngest of its key, or nullptr. Of each other key the head's `older` is
//       the youngest. Of youngest_'s key it means nothing; but if youngest_->older is youngest_,
//       that is its key's only element.

#pragma once

#include <cassert>
#include <cstdint>
#include <cstdlib>

#include "mpi/match/envelope.h"

namespace heddle::match {

struct KeyedNode {
  Key key;
  KeyedNode* younger = nullptr;   // of the same key; the youngest's is itself
  KeyedNode* older = nullptr;     // of a head: see I4
  KeyedNode* next_key = nullptr;  // of a head: the bucket's next head

  bool queued() const noexcept { return younger != nullptr; }
};

// T derives from KeyedNode, once.
template <class T>
class KeyedQueue {
 public:
  KeyedQueue() = default;
  KeyedQueue(KeyedQueue&&) = delete;
  ~KeyedQueue() {
    if (mask_ != 0) std::free(buckets_);
  }

  bool empty() const noexcept { return keys_ == 0; }

  // The oldest element with this key, or nullptr.
  T* front(const Key& key) noexcept { return static_cast<T*>(*find(key)); }

  // Calls back with every element; of one key in push order.
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    for (std::uint32_t i = 0; i <= mask_; ++i) {
      for (const KeyedNode* head = first_of(i); head != nullptr; head = head->next_key) {
        for (const KeyedNode* node = head;; node = node->younger) {
          visit(static_cast<const T&>(*node));
          if (node->younger == node) break;
        }
      }
    }
  }
  std::size_t length() const noexcept {
    std::size_t count = 0;
    for_each([&](const T&) { ++count; });
    return count;
  }

  // True if I1 to I4 hold.
  bool is_valid() const noexcept {
    std::uint32_t keys = 0;
    bool has_youngest = youngest_ == nullptr;
    for (std::uint32_t i = 0; i <= mask_; ++i) {
      for (const KeyedNode* head = first_of(i); head != nullptr; head = head->next_key) {
        if (++keys > keys_ || (head->key.hash() & mask_) != i) return false;
        const KeyedNode* const last = last_behind(*head);
        if (last == nullptr || (last != youngest_ && head->older != last)) return false;
        if (last == youngest_ && last != head && last->older == last) return false;
        has_youngest |= last == youngest_;
      }
    }
    return keys == keys_ && has_youngest;
  }

  void push(T& element) noexcept {
    KeyedNode& node = element;
    assert(!node.queued());
    node.younger = &node;
    if (youngest_ == nullptr || !(youngest_->key == node.key)) {
      note_youngest();
      KeyedNode** slot = find(node.key);
      if (*slot == nullptr) {
        node.older = &node;
        node.next_key = nullptr;
        *slot = youngest_ = &node;
        if (++keys_ > keys_before_growth()) [[unlikely]]
          grow();
        return;
      }
      youngest_ = (*slot)->older;
    }
    node.older = youngest_;
    youngest_->younger = &node;
    youngest_ = &node;
  }

  void erase(T& element) noexcept {
    KeyedNode& node = element;
    assert(node.queued());
    KeyedNode** slot = find(node.key);
    const bool last = node.younger == &node;
    if (*slot == &node) {
      if (last) {
        *slot = node.next_key;
        --keys_;
        if (youngest_ == &node) youngest_ = nullptr;
      } else {
        node.younger->next_key = node.next_key;
        node.younger->older = node.older;
        *slot = node.younger;
      }
    } else if (last) {
      node.older->younger = node.older;
      (youngest_ == &node ? youngest_ : (*slot)->older) = node.older;
    } else {
      node.older->younger = node.younger;
      node.younger->older = node.older;
    }
    node.younger = node.older = nullptr;
  }

 private:
  // One bucket is as good as more for this many keys. From then on a chain is one key long on
  // average: in a long queue each further one is a cache miss.
  static constexpr std::uint32_t kKeysInFirstBucket = 4;
  static constexpr std::uint32_t kGrowth = 8;

  std::uint32_t keys_before_growth() const noexcept {
    return mask_ == 0 ? kKeysInFirstBucket : mask_ + 1;
  }

  KeyedNode* first_of(std::uint32_t bucket) const noexcept {
    return mask_ == 0 ? bucket_ : buckets_[bucket];
  }

  // The youngest of the head's key; nullptr if the links do not lead there and back.
  static const KeyedNode* last_behind(const KeyedNode& head) noexcept {
    const KeyedNode* node = &head;
    for (; node->younger != node; node = node->younger) {
      const KeyedNode* const next = node->younger;
      if (next == nullptr || next == &head || next->older != node || !(next->key == head.key)) {
        return nullptr;
      }
    }
    return node;
  }

  // Where the head of this key is linked, or would be.
  KeyedNode** find(const Key& key) noexcept {
    KeyedNode** slot = mask_ == 0 ? &bucket_ : &buckets_[key.hash() & mask_];
    while (*slot != nullptr && !((*slot)->key == key)) slot = &(*slot)->next_key;
    return slot;
  }

  // So that another may be youngest_: I4 for its key. One that is its own head knows already.
  void note_youngest() noexcept {
    if (youngest_ != nullptr && youngest_->older != youngest_) {
      (*find(youngest_->key))->older = youngest_;
    }
  }

  [[gnu::noinline]] void grow() noexcept {
    const std::uint32_t count = (mask_ + 1) * kGrowth;
    auto** bigger = static_cast<KeyedNode**>(std::calloc(count, sizeof(KeyedNode*)));
    if (bigger == nullptr) return;
    for (std::uint32_t i = 0; i <= mask_; ++i) {
      for (KeyedNode* head = first_of(i); head != nullptr;) {
        KeyedNode* rest = head->next_key;
        KeyedNode*& bucket = bigger[head->key.hash() & (count - 1)];
        head->next_key = bucket;
        bucket = head;
        head = rest;
      }
    }
    if (mask_ != 0) std::free(buckets_);
    buckets_ = bigger;
    mask_ = count - 1;
  }

  union {
    KeyedNode* bucket_ = nullptr;  // the only one, while mask_ is 0
    KeyedNode** buckets_;
  };
  KeyedNode* youngest_ = nullptr;
  std::uint32_t mask_ = 0;  // buckets - 1
  std::uint32_t keys_ = 0;
};

}  // namespace heddle::match
