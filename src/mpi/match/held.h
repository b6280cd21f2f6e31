// held.h — lanes whose locks are held, and what may be done with them. The type says which lock:
//
//   LaneHeld     the lane's           post receives, keep messages
//   StockHeld    its stock's          take messages that receivers have taken over
//   BothHeld     both                 take over what is fresh
//   ContextHeld  a match context's    post receives with wildcards, list lanes; a LaneHeld of the
//                                     context's own lane
//
// They are plain pointers, passed by value, and cost nothing. They are made where a lock is taken,
// by lock() and its kin; of() says that the caller knows. The function that unlocks ends them: no
// copy is used after that. Locked is for a C++ scope.
//
// Lock order: a match context's, a lane's, a stock's.
//
// Thread safety: of the strand that holds the lock.

#pragma once

#include "mpi/match/lane.h"

namespace heddle::match {

class BothHeld;

class LaneHeld {
 public:
  [[gnu::always_inline]] static LaneHeld lock(Lane& lane) noexcept {
    lane.lock.lock();
    return LaneHeld(lane);
  }
  // Locks by SpinLock::lock_giving_way.
  [[gnu::always_inline]] static LaneHeld lock_giving_way(Lane& lane) noexcept {
    lane.lock.lock_giving_way();
    return LaneHeld(lane);
  }
  void unlock() const noexcept { lane_->lock.unlock(); }

  // Takes the stock's lock, too; and moves what is fresh to the stock, after closing the ring.
  BothHeld with_stock() const noexcept;
  BothHeld with_delivery() const noexcept;

  Lane& operator*() const noexcept { return *lane_; }
  Lane* operator->() const noexcept { return lane_; }

  // Adds a message that no receive is posted for, and tells the strands that probe for it; those of
  // the match context have been told. The message may be gone when it returns.
  [[gnu::always_inline]] void keep(UnexpectedMessage& message) const noexcept {
    message.kept_at = lane_->time_of_message();
    keep_with_time(message);
  }
  [[gnu::always_inline]] void keep_with_time(UnexpectedMessage& message) const noexcept {
    message.lane = lane_;
    lane_->fresh.push(message);
    if (!lane_->watchers.empty()) [[unlikely]]
      tell_watchers(message.key);
    // Last: from the stock a receiver takes it without the lane's lock.
    if ((++lane_->fresh_count & (lane_->pile() - 1)) == 0) [[unlikely]]
      sort_pile();
  }
  void tell_watchers(const Key& message) const noexcept;

  // ---- its ring

  // Opens it, if the lane is fit for that and there is memory.
  void open_ring() const noexcept;
  // No sender uses it any more; what is in it goes to posted receives, or is kept.
  void close_ring() const noexcept {
    if (lane_->ring_is_open()) [[unlikely]]
      close_open_ring();
  }
  // Gives its messages to posted receives, until it has none or there is no receive. A message that
  // fits none closes it. Requires that it is open.
  void read_ring() const noexcept;
  // For a receive that is about to be posted: the oldest message in the ring, if that is for it. If
  // nullptr, the ring is closed or empty.
  const EagerSlot* slot_for(int tag, bool attended) const noexcept;
  // For a message that comes otherwise: afterwards a receive for it is posted, or the ring is
  // closed. Requires that it is open.
  void make_way(const Key& message) const noexcept;

  // False for certain: there is no message. True may mean a stock that is empty a moment later.
  bool may_have_messages() const noexcept { return !lane_->fresh.empty() || lane_->stocked(); }

  // Memory for a message of `bytes` bytes, or nullptr. Fetches what the next message will get.
  UnexpectedMessage* take_spare(MPI_Count bytes) const noexcept {
    if (lane_->spares.next(bytes) == nullptr) [[unlikely]]
      find_spares(bytes);
    UnexpectedMessage* const taken = lane_->spares.pop(bytes);
    if (const auto* next = lane_->spares.next(bytes)) next->expect();
    return taken;
  }

 protected:
  explicit LaneHeld(Lane& lane) noexcept : lane_(&lane) {}

 private:
  void close_open_ring() const noexcept;
  bool deliver(const EagerSlot& slot) const noexcept;
  void sort_pile() const noexcept;
  void find_spares(MPI_Count bytes) const noexcept;

  Lane* lane_;
};

class StockHeld {
 public:
  static StockHeld lock(Lane& lane) noexcept {
    lane.stock.lock.lock();
    return StockHeld(lane);
  }
  void unlock() const noexcept { lane_->stock.lock.unlock(); }

  Lane& lane() const noexcept { return *lane_; }
  Stock* operator->() const noexcept { return &lane_->stock; }

  // Lets others know whether there is a stock; writes the line that all read only if that is news.
  // With both locks, or when the stock has become empty.
  void show() const noexcept {
    const bool stocked_now = !lane_->stock.messages.empty();
    if (stocked_now != lane_->stocked()) {
      lane_->has_stock.store(stocked_now, std::memory_order_relaxed);
    }
  }

 private:
  friend class BothHeld;
  explicit StockHeld(Lane& lane) noexcept : lane_(&lane) {}

  Lane* lane_;
};

class BothHeld : public LaneHeld {
 public:
  static BothHeld lock(Lane& lane) noexcept { return LaneHeld::lock(lane).with_stock(); }
  // No other strand uses the lane.
  static BothHeld of(Lane& lane) noexcept { return BothHeld(lane); }

  StockHeld stock() const noexcept { return StockHeld(**this); }

  // Both shows the stock.
  StockHeld unlock_lane() const noexcept {
    stock().show();
    LaneHeld::unlock();
    return stock();
  }
  void unlock() const noexcept {
    stock().show();
    stock().unlock();
    LaneHeld::unlock();
  }

  // Moves what is fresh to the stock.
  void take_delivery() const noexcept;
  // A message, taken out; nullptr if there is none. For an owner that ends.
  UnexpectedMessage* take_any() const noexcept;
  // Moves the memory that is kept for messages on either side there.
  void take_spares(Spares* taken) const noexcept;

  void assign(MatchContext id, Peer peer, ContextLane* context) const noexcept;
  bool idle() const noexcept {
    const Lane& lane = **this;
    return lane.posted.empty() && lane.fresh.empty() && lane.stock.messages.empty() &&
           lane.watchers.empty();
  }
  // True if the queues are sound, each element names this lane (I2 of matcher.h), a lane with
  // messages is listed (I3), and no message fits a receive of the lane (I1). O(n).
  bool is_valid() const noexcept;

 private:
  friend class LaneHeld;
  explicit BothHeld(Lane& lane) noexcept : LaneHeld(lane) {}
};

inline BothHeld LaneHeld::with_stock() const noexcept {
  lane_->stock.lock.lock();
  return BothHeld(*lane_);
}
inline BothHeld LaneHeld::with_delivery() const noexcept {
  close_ring();
  const BothHeld both = with_stock();
  both.take_delivery();
  return both;
}

class ContextHeld : public LaneHeld {
 public:
  // What is held is a match context's lane; and this one is held.
  static ContextHeld of(LaneHeld context) noexcept {
    return ContextHeld(static_cast<ContextLane&>(*context));
  }
  static ContextHeld of(ContextLane& context) noexcept { return ContextHeld(context); }
  static ContextHeld lock(ContextLane& context) noexcept { return of(LaneHeld::lock(context)); }

  ContextLane& operator*() const noexcept {
    return static_cast<ContextLane&>(LaneHeld::operator*());
  }
  ContextLane* operator->() const noexcept { return &**this; }

  // Gives a receive with a wildcard its number.
  void number(PostedReceive& receive) const noexcept {
    (*this)->posted.number(receive);
    (*this)->epoch.store(receive.order, std::memory_order_relaxed);
  }

  // Moves what is in the news to the busy ones. Every lane that is pushed later sees what this
  // strand wrote before.
  void take_news() const noexcept;

  // For a lane that is not listed.
  void list(LaneHeld lane) const noexcept {
    lane->listed = true;
    (*this)->busy.push_back(*lane);
  }
  void move_to_back(LaneHeld lane) const noexcept {
    IntrusiveList<Lane, BusyLanes>::erase(*lane);
    (*this)->busy.push_back(*lane);
  }
  // Takes the lane off the busy ones, if it is there.
  static void unlist(LaneHeld lane) noexcept {
    if (!lane->ListNode<BusyLanes>::linked()) return;
    IntrusiveList<Lane, BusyLanes>::erase(*lane);
    lane->listed = false;
  }

  // Says that a receive or probe with this tag or MPI_ANY_TAG begins or ends to wait.
  void add_waiting(int tag) const noexcept;
  void remove_waiting(int tag) const noexcept;

 private:
  explicit ContextHeld(ContextLane& context) noexcept : LaneHeld(context) {}

  void show_awaited() const noexcept;
};

// Holds a lock to the end of a C++ scope.
template <class Held>
class Locked {
 public:
  explicit Locked(Held held) noexcept : held_(held) {}
  ~Locked() { held_.unlock(); }
  Locked(Locked&&) = delete;

  Held operator*() const noexcept { return held_; }
  const Held* operator->() const noexcept { return &held_; }

 private:
  const Held held_;
};

}  // namespace heddle::match
