// match_table.h — pairs arriving messages with posted receives (MPI 5.0 §3.5).
//
//   receive ──post──►  an unexpected message fits?  ── yes ──► returned to the caller
//                                 └──── no ──► waits in posted_
//   message ──arrive─► a posted receive fits?       ── yes ──► returned to the caller
//                                 └──── no ──keep──► waits in unexpected_
//
// It is plain data: it never blocks, copies no payload and knows no transport. Every lane has one,
// and every scope one for receives with a wildcard (lane.h).
//
// Thread safety: none; the lane's lock.
// Cost: O(1) at any depth, but for a wildcard receive (or probe) that looks through unexpected
// messages which do not fit it. While no wildcard receive is posted, an arrival looks up one key.

#pragma once

#include <array>
#include <cstdint>

#include "base/intrusive_list.h"
#include "mpi/match/envelope.h"
#include "mpi/match/keyed_queue.h"

namespace heddle::match {

struct Lane;

// Embedded in a receive request. `key` is what it wants. Owned by the table between post() and its
// match.
struct PostedReceive : KeyedNode {
  std::uint64_t order = 0;  // when it was posted, from post() on; see I2
  std::uint64_t epoch = 0;  // how many receives with a wildcard were posted in its scope before it
  Lane* lane = nullptr;     // where it was posted; nullptr if it found its message at once
};

// Embedded in an arrived message. `key` is its envelope's. Owned by the table between keep() and
// its match.
struct UnexpectedMessage : KeyedNode, ListNode<> {
  MPI_Count bytes = 0;
  Lane* lane = nullptr;  // where it was kept, from then on
  // When it was kept, for the order of messages of one sender in different lanes; 0 if it was kept
  // before its lane had siblings, and so before all of theirs.
  std::int64_t kept_at = 0;
  Envelope envelope() const noexcept { return {key, bytes}; }
};

class MatchTable {
 public:
  MatchTable() = default;
  MatchTable(const MatchTable&) = delete;
  MatchTable& operator=(const MatchTable&) = delete;

  // Returns the oldest unexpected message that fits and removes it, or nullptr after adding
  // `receive` to the posted ones.
  [[nodiscard]] UnexpectedMessage* post(PostedReceive& receive) noexcept {
    number(receive);
    if (UnexpectedMessage* message = take(receive.key)) return message;
    add(receive);
    return nullptr;
  }

  // The two halves of it, for whoever knows that no message fits.
  void number(PostedReceive& receive) noexcept { receive.order = ++last_order_; }
  void add(PostedReceive& receive) noexcept {
    posted_.push(receive);
    note_posted(receive.key, +1);
  }

  // The oldest posted receive that fits, or nullptr.
  PostedReceive* posted_for(const Key& message) const noexcept {
    return wildcards_ == 0 ? posted_.front(message) : oldest_posted(message);
  }

  // The same, and removes it.
  [[nodiscard]] PostedReceive* arrive(const Key& message) noexcept {
    PostedReceive* receive = posted_for(message);
    if (receive != nullptr) withdraw(*receive);
    return receive;
  }

  // Adds a message for which arrive() has just returned nullptr.
  void keep(UnexpectedMessage& message) noexcept {
    unexpected_.push(message);
    arrivals_.push_back(message);
  }

  // Returns the message that a receive for `wanted` would get now, and leaves it there.
  UnexpectedMessage* peek(const Pattern& wanted) noexcept {
    if (unexpected_.empty()) return nullptr;
    return shape_of(wanted) == kExact ? unexpected_.front(wanted) : oldest_unexpected(wanted);
  }

  // The same, and removes it.
  UnexpectedMessage* take(const Pattern& wanted) noexcept {
    UnexpectedMessage* message = peek(wanted);
    if (message != nullptr) remove(*message);
    return message;
  }

  // Returns false if the receive is no longer posted, because it has matched.
  bool cancel(PostedReceive& receive) noexcept {
    if (!receive.queued()) return false;
    withdraw(receive);
    return true;
  }

  // Returns false if the message is no longer here, because a receive or a probe has taken it.
  bool cancel(UnexpectedMessage& message) noexcept {
    if (!message.queued()) return false;
    remove(message);
    return true;
  }

  bool empty() const noexcept { return posted_.empty() && unexpected_.empty(); }
  bool has_messages() const noexcept { return !unexpected_.empty(); }

  // How many wait; O(n).
  std::size_t posted_length() const noexcept { return posted_.length(); }
  std::size_t unexpected_length() const noexcept { return unexpected_.length(); }

  // The message that has waited longest, or nullptr.
  UnexpectedMessage* oldest() noexcept { return arrivals_.front(); }

 private:
  // I1  A key's queue is in arrival (posting) order, so messages of one sender do not overtake.
  // I2  Receives are queued by what they want, wildcards included. A message fits at most one queue
  //     of each shape; of their heads the one with the smallest `order` was posted first and wins.
  // I3  wildcards_ == posted_of_shape_[kAnyTag] + [kAnySource] + [kAnything].
  // I4  Every unexpected message is in unexpected_ and in arrivals_.
  void withdraw(PostedReceive& receive) noexcept {
    note_posted(receive.key, -1);
    posted_.erase(receive);
  }
  void remove(UnexpectedMessage& message) noexcept {
    unexpected_.erase(message);
    IntrusiveList<UnexpectedMessage>::erase(message);
  }
  void note_posted(const Pattern& wanted, int change) noexcept {
    if (const Shape shape = shape_of(wanted); shape != kExact) {
      posted_of_shape_[shape] += static_cast<std::uint32_t>(change);
      wildcards_ += static_cast<std::uint32_t>(change);
    }
  }
  PostedReceive* oldest_posted(const Key& message) const noexcept;
  UnexpectedMessage* oldest_unexpected(const Pattern& wanted) noexcept;

  // What an expected message touches: 44 bytes, in one cache line with the lane's lock.
  KeyedQueue<PostedReceive> posted_;
  std::uint64_t last_order_ = 0;
  std::uint32_t wildcards_ = 0;
  std::array<std::uint32_t, kShapes> posted_of_shape_{};

  KeyedQueue<UnexpectedMessage> unexpected_;
  IntrusiveList<UnexpectedMessage> arrivals_;  // oldest first
};

}  // namespace heddle::match
