// posted_queue.h — the receives that wait for a message (MPI 5.0 §3.5), found by what they want.
//
// It is plain data: it never blocks, copies no payload and knows no transport. Every lane has one,
// and every match context one for receives with a wildcard (lane.h).
//
// Thread safety: none; the lane's lock.
// Cost: O(1) at any depth. While no wildcard receive is posted, an arrival looks up one key.

#pragma once

#include <array>
#include <cstdint>

#include "base/platform/cpu.h"
#include "mpi/match/envelope.h"
#include "mpi/match/keyed_queue.h"

namespace heddle::match {

struct Lane;

// Embedded in a receive request. `key` is what it wants. Owned by the queue between add() and its
// match.
struct PostedReceive : KeyedNode {
  std::uint64_t order = 0;  // when it was posted among those of its lane, from then on; see I2
  // How many receives with a wildcard were posted in its match context before it.
  std::uint64_t epoch = 0;
  Lane* lane = nullptr;  // where it was posted; nullptr if it found its message at once

  // It is the next one to be matched, and another core had it last.
  void expect() const noexcept {
    constexpr int kLines = 3;  // of a receive request, which begins in the line before
    platform::fetch_for_writing(reinterpret_cast<const char*>(this) - platform::kCacheLine, kLines);
  }
};

class PostedQueue {
 public:
  PostedQueue() = default;
  PostedQueue(PostedQueue&&) = delete;

  // Called before add(); also for a receive that finds its message at once.
  void number(PostedReceive& receive) noexcept { receive.order = ++last_order_; }
  // Numbers that receives will have which are not numbered here; returns the last one before them.
  std::uint64_t set_aside(std::uint64_t count) noexcept {
    last_order_ += count;
    return last_order_ - count;
  }

  std::uint64_t last_order() const noexcept { return last_order_; }

  // Requires that no message fits.
  void add(PostedReceive& receive) noexcept {
    posted_.push(receive);
    note_posted(receive.key, +1);
  }

  // The oldest posted receive that fits, or nullptr.
  PostedReceive* find(const Key& message) noexcept {
    return wildcards_ == 0 ? posted_.front(message) : find_beside_wildcards(message);
  }

  // Removes the oldest posted receive that fits, and returns it; nullptr if there is none.
  [[nodiscard]] PostedReceive* take(const Key& message) noexcept {
    PostedReceive* receive = find(message);
    if (receive == nullptr) return nullptr;
    if (const auto* next = static_cast<PostedReceive*>(receive->younger); next != receive) {
      next->expect();
    }
    withdraw(*receive);
    return receive;
  }

  // Returns false if the receive is no longer posted, because it has matched.
  bool cancel(PostedReceive& receive) noexcept {
    if (!receive.queued()) return false;
    withdraw(receive);
    return true;
  }

  bool empty() const noexcept { return posted_.empty(); }
  std::size_t length() const noexcept { return posted_.length(); }  // O(n)

  // Calls back with every receive; of those that want the same in posting order. O(n).
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    posted_.for_each(visit);
  }

  // True if I1 to I3 hold. O(n).
  bool is_valid() const noexcept;

 private:
  // I1  A key's queue is in posting order: each `order` is larger than the one before it.
  // I2  Receives are queued by what they want, wildcards included. A message fits at most one queue
  //     of each shape; of their heads the one with the smallest `order` was posted first and wins.
  // I3  posted_of_shape_ counts the receives of each shape with a wildcard, and wildcards_ is their
  //     sum.
  void withdraw(PostedReceive& receive) noexcept {
    note_posted(receive.key, -1);
    posted_.erase(receive);
  }
  void note_posted(const Pattern& wanted, int change) noexcept {
    if (const Shape shape = shape_of(wanted); shape != kExact) {
      posted_of_shape_[shape] += static_cast<std::uint32_t>(change);
      wildcards_ += static_cast<std::uint32_t>(change);
    }
  }
  PostedReceive* find_beside_wildcards(const Key& message) noexcept;

  // What an expected message touches, 40 bytes.
  KeyedQueue<PostedReceive> posted_;
  std::uint32_t wildcards_ = 0;
  std::uint64_t last_order_ = 0;

  std::array<std::uint32_t, kShapes> posted_of_shape_{};
};
static_assert(sizeof(PostedQueue) == 40 + sizeof(std::uint32_t) * kShapes);

}  // namespace heddle::match
