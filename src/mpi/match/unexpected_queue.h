// unexpected_queue.h — messages that have come before their receives (MPI 5.0 §3.5).
//
//   sender ──► MessageRing ──► [ unsorted_ ring ] ──► [ sorted_ by key, and arrivals_ ]
//              in the lane,      UnexpectedQueue, the receivers'
//              the senders'
//
// Senders only put messages into a ring, in the order in which they come. Receivers take the whole
// ring over, and sort by key no more of it than they have to: one that finds its message in front,
// as receives in the order of the sends do, sorts nothing. Senders that are far ahead sort what
// they have left behind (Lane::pile).
//
// Both are plain data.
//
// Thread safety: none; the owner locks.
// Cost: O(1) at any depth, each message being sorted once at most; but a wildcard receive (or
// probe) looks through the messages that do not fit it.

#pragma once

#include <cassert>
#include <cstdint>
#include <utility>

#include "base/intrusive_list.h"
#include "base/platform/cpu.h"
#include "mpi/match/envelope.h"
#include "mpi/match/keyed_queue.h"

namespace heddle::match {

struct Lane;

// Embedded in an arrived message. `key` is its envelope's. Owned by ring and queue until it is
// taken.
struct UnexpectedMessage : KeyedNode, ListNode<> {
  MPI_Count bytes = 0;
  Lane* lane = nullptr;  // where it was kept, from then on
  // The time at which it was kept, for the order of messages of one sender in different lanes; 0 if
  // it was kept before its lane had siblings, and so before all of theirs.
  std::int64_t kept_at = 0;

  Envelope envelope() const noexcept { return {key, bytes}; }

  // It is the next one to be filled or emptied, and another core had it last.
  void expect() const noexcept {
    constexpr int kLines = 2;  // a cell's with a payload of a few bytes
    platform::fetch_for_writing(this, kLines);
  }
};

// First in, first out, linked by KeyedNode::younger; the youngest links to the oldest.
class MessageRing {
 public:
  bool empty() const noexcept { return youngest_ == nullptr; }
  UnexpectedMessage* front() const noexcept {
    return empty() ? nullptr : static_cast<UnexpectedMessage*>(youngest_->younger);
  }

  void push(UnexpectedMessage& message) noexcept {
    assert(!message.queued());
    if (empty()) {
      message.younger = &message;
    } else {
      message.younger = youngest_->younger;
      youngest_->younger = &message;
    }
    youngest_ = &message;
  }

  // Requires that it is not empty.
  UnexpectedMessage& pop() noexcept {
    KeyedNode& oldest = *youngest_->younger;
    if (&oldest == youngest_) {
      youngest_ = nullptr;
    } else {
      youngest_->younger = oldest.younger;
    }
    oldest.younger = nullptr;
    return static_cast<UnexpectedMessage&>(oldest);
  }

  // Calls back with every message, the oldest first.
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    if (empty()) return;
    for (const KeyedNode* node = youngest_->younger;; node = node->younger) {
      visit(static_cast<const UnexpectedMessage&>(*node));
      if (node == youngest_) return;
    }
  }

  // True if it is a ring of so many messages.
  bool is_valid(std::uint64_t length) const noexcept {
    const KeyedNode* node = youngest_;
    for (; node != nullptr && length > 0; --length) {
      node = node->younger;
      if (node == youngest_) return length == 1;
    }
    return node == nullptr && length == 0;
  }

  // Puts the other's behind its own.
  void take_over(MessageRing& others) noexcept {
    if (others.empty()) return;
    if (!empty()) std::swap(youngest_->younger, others.youngest_->younger);
    youngest_ = std::exchange(others.youngest_, nullptr);
  }

 private:
  KeyedNode* youngest_ = nullptr;
};

class UnexpectedQueue {
 public:
  UnexpectedQueue() = default;
  UnexpectedQueue(UnexpectedQueue&&) = delete;

  bool empty() const noexcept { return count_ == 0; }
  std::uint64_t length() const noexcept { return count_; }

  // Adds `count` messages that came after all that are here.
  void take_over(MessageRing& fresh, std::uint64_t count) noexcept {
    if (std::exchange(taken_out_of_order_, false)) {
      out_of_order_ = true;
    } else if (left_ - count_ >= kOrderly) {
      out_of_order_ = false;
    }
    unsorted_.take_over(fresh);
    count_ += count;
    left_ = count_;
  }

  // Whether receives want messages in another order than they come, as far as those between two
  // take_over() have shown: one that has, or many that have not.
  bool out_of_order() const noexcept { return out_of_order_; }

  // The message that a receive for `wanted` would get now, left here; nullptr if there is none.
  UnexpectedMessage* peek(const Pattern& wanted) noexcept {
    sort_all();
    return shape_of(wanted) == kExact ? sorted_.front(wanted) : find_for_wildcard(wanted);
  }

  // Removes the message that a receive for `wanted` gets, and returns it; nullptr if there is none.
  UnexpectedMessage* take(const Pattern& wanted) noexcept {
    if (sorted_.empty() && !unsorted_.empty() && unsorted_.front()->key == wanted) {
      --count_;
      return &unsorted_.pop();
    }
    return take_slow(wanted);
  }

  // Sorts all messages, so that no later take() or peek() has to.
  void sort_all() noexcept {
    while (!unsorted_.empty()) sort(unsorted_.pop());
  }

  // Returns false if the message is no longer here, because a receive or a probe has taken it.
  bool cancel(UnexpectedMessage& message) noexcept {
    if (!message.queued()) return false;
    sort_all();
    remove(message);
    return true;
  }

  // Calls back with every message. O(n).
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    sorted_.for_each(visit);
    unsorted_.for_each(visit);
  }

  // True if I1 and I2 hold. O(n).
  bool is_valid() const noexcept;

  // The one that will be taken next if receives are posted in the order of the sends, or nullptr.
  const UnexpectedMessage* likely_next() noexcept {
    return arrivals_.empty() ? unsorted_.front() : arrivals_.front();
  }

 private:
  static constexpr std::uint64_t kOrderly = 64;

  // I1  Every message is in unsorted_, or in sorted_ and arrivals_. Those in unsorted_ are younger.
  // I2  A key's queue in sorted_ is in arrival order, so messages of one sender do not overtake.
  void sort(UnexpectedMessage& message) noexcept {
    sorted_.push(message);
    arrivals_.push_back(message);
  }
  void remove(UnexpectedMessage& message) noexcept {
    sorted_.erase(message);
    IntrusiveList<UnexpectedMessage>::erase(message);
    --count_;
  }
  UnexpectedMessage* take_slow(const Pattern& wanted) noexcept;
  UnexpectedMessage* find_for_wildcard(const Pattern& wanted) noexcept;

  MessageRing unsorted_;
  bool out_of_order_ = false;
  bool taken_out_of_order_ = false;  // since the last take_over
  std::uint64_t count_ = 0;
  std::uint64_t left_ = 0;  // count_ after the last take_over
  KeyedQueue<UnexpectedMessage> sorted_;
  IntrusiveList<UnexpectedMessage> arrivals_;  // the sorted ones, oldest first
};

}  // namespace heddle::match
