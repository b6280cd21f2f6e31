// keyed_queue.h — a queue for each key, in a hash table that grows; the links are in the elements.
//
//   buckets_ ─► [ ]──► head A ──next_key──► head B ──► null        one head a key
//               [ ]      │ ring               │ ring
//               [ ]      ▼                    ▼
//                     A, younger           (alone)
//                        │
//                        ▼
//                     A, youngest ──ring──► head A
//
// So a thousand elements of one key cost a lookup of another key nothing. The table starts with one
// bucket inside the object: real queues hold few keys, and a short list next to the lock costs
// fewer cache lines than any table. A list of elements in each bucket, keys mixed, was rejected
// because a long queue of one key slows its neighbours.
//
// Thread safety: none; the owner locks. Nothing is allocated but the bucket array, when there are
// more keys than buckets; without memory the chains just stay long.
//
// Invariants
//   I1  node.younger == nullptr exactly while the node is in no queue.
//   I2  A ring is in push order from its head on, and the head is the one in the bucket's chain.
//   I3  keys_ is the number of heads.

#pragma once

#include <cassert>
#include <cstdint>
#include <cstdlib>

#include "mpi/match/envelope.h"

namespace heddle::match {

struct KeyedNode {
  Key key;
  KeyedNode* younger = nullptr;   // ring of one key; the youngest points to the head
  KeyedNode* older = nullptr;     // the head points to the youngest
  KeyedNode* next_key = nullptr;  // of a head: the bucket's next head

  bool queued() const noexcept { return younger != nullptr; }
};

// T derives from KeyedNode, once.
template <class T>
class KeyedQueue {
 public:
  KeyedQueue() = default;
  KeyedQueue(const KeyedQueue&) = delete;
  KeyedQueue& operator=(const KeyedQueue&) = delete;
  ~KeyedQueue() {
    if (buckets_ != &first_bucket_) std::free(buckets_);
  }

  bool empty() const noexcept { return keys_ == 0; }

  // The oldest element with this key, or nullptr.
  T* front(const Key& key) const noexcept { return static_cast<T*>(*find(key)); }

  // Visits every element.
  std::size_t length() const noexcept {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i <= mask_; ++i) {
      for (const KeyedNode* head = buckets_[i]; head != nullptr; head = head->next_key) {
        const KeyedNode* node = head;
        do {
          ++count;
          node = node->younger;
        } while (node != head);
      }
    }
    return count;
  }

  void push(T& element) noexcept {
    KeyedNode& node = element;
    assert(!node.queued());
    KeyedNode** slot = find(node.key);
    if (KeyedNode* head = *slot) {
      node.older = head->older;
      node.younger = head;
      head->older->younger = &node;
      head->older = &node;
      return;
    }
    node.older = node.younger = &node;
    node.next_key = nullptr;
    *slot = &node;
    if (++keys_ > most_keys_) [[unlikely]]
      grow();
  }

  void erase(T& element) noexcept {
    KeyedNode& node = element;
    assert(node.queued());
    KeyedNode** slot = find(node.key);
    if (node.younger == &node) {
      *slot = node.next_key;
      --keys_;
    } else {
      if (*slot == &node) {
        node.younger->next_key = node.next_key;
        *slot = node.younger;
      }
      node.older->younger = node.younger;
      node.younger->older = node.older;
    }
    node.younger = node.older = nullptr;
  }

 private:
  // One bucket is as good as more for so many keys. From then on a chain is one key long on average:
  // in a long queue each further one is a cache miss.
  static constexpr std::uint32_t kKeysInFirstBucket = 4;
  static constexpr std::uint32_t kGrowth = 8;

  // Where the head of this key is linked, or would be.
  KeyedNode** find(const Key& key) const noexcept {
    KeyedNode** slot = mask_ == 0 ? buckets_ : &buckets_[key.hash() & mask_];
    while (*slot != nullptr && !((*slot)->key == key)) slot = &(*slot)->next_key;
    return slot;
  }

  [[gnu::noinline]] void grow() noexcept {
    const std::uint32_t count = (mask_ + 1) * kGrowth;
    most_keys_ = count;
    auto** bigger = static_cast<KeyedNode**>(std::calloc(count, sizeof(KeyedNode*)));
    if (bigger == nullptr) return;
    for (std::uint32_t i = 0; i <= mask_; ++i) {
      for (KeyedNode* head = buckets_[i]; head != nullptr;) {
        KeyedNode* rest = head->next_key;
        KeyedNode*& bucket = bigger[head->key.hash() & (count - 1)];
        head->next_key = bucket;
        bucket = head;
        head = rest;
      }
    }
    if (buckets_ != &first_bucket_) std::free(buckets_);
    buckets_ = bigger;
    mask_ = count - 1;
  }

  KeyedNode** buckets_ = &first_bucket_;
  KeyedNode* first_bucket_ = nullptr;
  std::uint32_t mask_ = 0;  // buckets - 1
  std::uint32_t keys_ = 0;
  std::uint32_t most_keys_ = kKeysInFirstBucket;  // beyond it the table grows
};

}  // namespace heddle::match
