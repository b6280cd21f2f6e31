// matcher.h — pairs the messages that arrive at one rank with the receives that it posts, from many
// strands at once and with no lock of the rank (MPI 5.0 §3.5).
//
//   arrive   lock the lane ─┬─ no wildcard may want it: match in the lane, or keep there
//                           └─ one may: let go, lock the scope, then the lane; of the fitting
//                              receives in both the one posted first wins; or keep
//   post     from a rank, with a tag: lock the lane, take the oldest message that fits, or post there
//            with a wildcard: lock the scope, announce it, look through the lanes with messages, or
//            post in the scope
//
// Messages that are kept are either fresh, and under the lane's lock, which senders want, or in stock,
// and under a lock of the stock. A receive that finds several fresh ones moves them all to the stock;
// as long as the next receives find there what they want, they touch no line that a sender writes.
// Senders touch the stock only to take back emptied cells, and only if its lock is free. A sender
// that is far ahead also moves fresh messages there.
//
//   post     the lane seems to have a stock: lock the stock, take from there
//            no stock, or nothing there: lock the lane ─┬─ nothing has come since that look: post
//                                                       ├─ no stock, and the oldest fresh one is it:
//                                                       │  take it, move the rest to the stock
//                                                       └─ move what is fresh to the stock, and look
//                                                          there (again)
//
// So the lane's lock is free while a post sorts the stock. Every other strand that looks at messages
// (wildcards, probes, cancel) has both locks, and moves what is fresh first.
//
// So the usual message takes one lock that only the strands talking with this peer about these tags
// want. A pending wildcard slows down only messages whose tag it may match (Scope::awaits).
//
// A receive of any tag looks at several lanes of one source: of their oldest messages the one that
// was kept first is the one that was sent first (`kept_at`). It holds the locks of those it compares;
// and because it is announced, a message that comes while it looks waits for the scope's lock, so
// nothing that it finds was sent after something that it has missed. So does a probe of any tag.
//
// Who was posted first: receives with a wildcard are numbered in their scope (`order`), and a
// receive in a lane notes how many there were (`epoch`). It was posted before receive w exactly if
// its epoch is smaller than w's order. Two posts that no program order connects may come out
// either way.
//
// The handshake between a message that is kept and a receive with a wildcard that looks for one
//   arrive  [a1] lists the lane in the scope's news (a read-modify-write), unless it is listed
//           [a2] asks awaits(), still with the lane's lock
//   post    [p1] announces itself in `awaited`
//           [p2] takes the news (a read-modify-write), then locks the listed lanes that may hold it
//   If [p2] does not get a lane that may, [a1] comes after it in the news' order and sees [p1]; so does
//   every later holder of the lane's lock. If it does, the lane's lock orders the two: either the
//   receive finds the message, or [a2] comes after [p1]. models/matching.pml checks this.
//
// Thread safety: every function any strand; none switches (but debug builds at their locks). No
// callback may block. Lock order: scope, directory, lane, stock.
//
// Invariants
//   I1  A message that is kept fits no posted receive of its scope, once the locks are free.
//   I2  A receive or message is in the queues of the lane that its `lane` names, or in none.
//   I3  A lane with messages is listed.
//   I4  An arrival tells all watchers before a receiver can find the message in the stock: keep()
//       is the last to use it.

#pragma once

#include <utility>

#include "mpi/match/directory.h"

namespace heddle::match {

class Matcher {
 public:
  explicit Matcher(TagShares shares) : directory_(shares) {}

  // A message has come. Returns the receive that it belongs to, which is then the caller's, or
  // nullptr after keeping what `make(Lane&)` returns. `make` is called once at most, with the
  // lane's lock held, and may return nullptr to keep nothing. What is kept another strand may have
  // received and freed before arrive() returns, and with it `message` where that is the kept one's key.
  template <class Make>
  PostedReceive* arrive(const Key& message, Make&& make) noexcept {
    // A message whose receive is posted costs less than one that has to be kept, so posts go first.
    Lane& lane = locked_lane<Manners::kGiveWay>(message.scope, peer_of(message));
    if (!lane.scope->awaits(message.tag)) [[likely]] {
      PostedReceive* receive = lane.posted.take(message);
      if (receive != nullptr) {
        lane.lock.unlock();
        return receive;
      }
      if (may_keep(lane, message.tag)) [[likely]] {
        if (UnexpectedMessage* made = make(lane)) lane.keep(*made);
        lane.lock.unlock();
        return nullptr;
      }
    }
    lane.lock.unlock();
    return arrive_with_scope(message, std::forward<Make>(make));
  }

  // Posts a receive, or gives the message for it to `take(UnexpectedMessage&)`, with a lock held, and
  // returns true. `take` returns whether the message's memory is free for the next message.
  template <class Take>
  bool post(PostedReceive& receive, Take&& take) noexcept {
    const Peer peer = peer_of(receive.key);
    if (peer == kAnyPeer) return post_wildcard(receive, std::forward<Take>(take));
    Lane* const known = directory_.find(receive.key.scope, peer);
    if (known != nullptr && !known->stocked()) [[likely]] {
      known->lock.lock();
      if (known->serves(receive.key.scope, peer)) [[likely]] {
        if (!known->may_have_messages()) [[likely]] {
          post_in(*known, receive);
          known->lock.unlock();
          return false;
        }
        if (take_fresh(*known, receive, take)) return true;
      }
      known->lock.unlock();
    }
    return post_slow(known, receive, peer, std::forward<Take>(take));
  }

  // Take back a receive that was posted or a message that was kept here; false if it has matched.
  static bool cancel(PostedReceive& receive) noexcept;
  static bool cancel(UnexpectedMessage& message) noexcept;

  // What a receive would get now, and leaves it there. False if there is nothing.
  bool peek(const Pattern& wanted, Envelope* found) noexcept;

  // The same, and takes it out; nullptr if there is nothing.
  UnexpectedMessage* take(const Pattern& wanted) noexcept;

  // Tells the watcher when a message arrives that fits. False if one is there already.
  bool watch(Watcher& watcher) noexcept;

  // No message of the scope will come and no receive be posted any more; its lanes may serve
  // others. Messages that are not received stay.
  void forget(ScopeId scope) noexcept;

  // How many receives and messages wait, for tools: lane by lane under its lock, while it counts.
  struct Lengths {
    std::size_t posted = 0;
    std::size_t unexpected = 0;
    std::size_t lanes = 0;         // that have ever been made, scopes included
    std::size_t listed_lanes = 0;  // that may have messages
  };
  Lengths lengths() noexcept;

  // True if every lane is valid, one after the other under its locks. Any strand, while others go on.
  bool is_valid() noexcept;

  // Takes the memory of a message back that was taken out and is no longer needed.
  static void give_back(UnexpectedMessage& message) noexcept {
    Stock& stock = message.lane->stock;
    const PassedGuard guard(stock.lock);
    stock.used.push(message);
  }

  // For the owner's destructor, when no strand uses the matcher: takes out every message that is left,
  // and all memory for messages, for the functions to free.
  template <class Drop, class Free>
  void clear(Drop&& drop, Free&& free) noexcept {
    directory_.for_each([&](Lane& lane) {
      while (UnexpectedMessage* left = lane.take_any()) drop(*left);
      for (const MPI_Count bytes : {MPI_Count{0}, Spares::kSmall + 1}) {
        while (UnexpectedMessage* spare = lane.take_spare(bytes)) free(*spare);
      }
    });
  }

 private:
  Peer peer_of(const Pattern& wanted) const noexcept { return directory_.shares().peer_of(wanted); }

  enum class Manners : bool { kPush, kGiveWay };

  // The lane of (scope, peer), locked.
  template <Manners manners = Manners::kPush>
  [[gnu::always_inline]] Lane& locked_lane(ScopeId scope, Peer peer) noexcept {
    return locked<manners>(directory_.find(scope, peer), scope, peer);
  }
  // The same, and `probably` is what the directory has found.
  template <Manners manners = Manners::kPush>
  [[gnu::always_inline]] Lane& locked(Lane* probably, ScopeId scope, Peer peer) noexcept {
    if (probably != nullptr) [[likely]] {
      if constexpr (manners == Manners::kGiveWay) {
        probably->lock.lock_giving_way();
      } else {
        probably->lock.lock();
      }
      if (probably->serves(scope, peer)) [[likely]]
        return *probably;
      probably->lock.unlock();
    }
    return locked_lane_slow(scope, peer);
  }
  // The same, of a lane that is not there yet, or no longer.
  Lane& locked_lane_slow(ScopeId scope, Peer peer) noexcept;
  Scope& locked_scope(ScopeId scope) noexcept {
    return static_cast<Scope&>(locked_lane(scope, kAnyPeer));
  }

  // The rest of post(), where there seems to be a message, or no lane.
  template <class Take>
  [[gnu::noinline]] bool post_slow(Lane* known, PostedReceive& receive, Peer peer,
                                   Take&& take) noexcept {
    Search searched;
    if (known != nullptr && known->stocked()) {
      known->stock.lock.lock();
      if (take_from_stock(*known, receive, take, &searched)) return true;
    }
    for (;;) {
      Lane& lane = locked(known, receive.key.scope, peer);
      if (lane.fresh.empty() && (!lane.stocked() || searched.covers(lane))) {
        post_in(lane, receive);
        lane.lock.unlock();
        return false;
      }
      lock_stock(lane);
      lane.show_stock();
      lane.lock.unlock();
      if (take_from_stock(lane, receive, take, &searched)) return true;
    }
  }

  // Posts a receive for which there is no message. With the lane's lock.
  static void post_in(Lane& lane, PostedReceive& receive) noexcept {
    lane.posted.number(receive);
    // relaxed: a post that comes after another in the program sees its epoch.
    receive.epoch = lane.scope->epoch.load(std::memory_order_relaxed);
    receive.lane = &lane;
    lane.posted.add(receive);
  }

  // Takes the oldest message, if there is no stock and it fits, and unlocks the lane; what else is fresh
  // goes to the stock, for the receives to come. Else false, and the lane is locked still.
  template <class Take>
  [[gnu::noinline]] static bool take_fresh(Lane& lane, PostedReceive& receive,
                                           Take&& take) noexcept {
    if (lane.fresh.empty() || lane.stocked()) return false;
    if (!(lane.fresh.front()->key == receive.key)) return false;
    UnexpectedMessage& message = lane.fresh.pop();
    --lane.fresh_count;
    lane.posted.number(receive);
    receive.lane = nullptr;
    if (!lane.fresh.empty()) {
      const PassedGuard guard(lane.stock.lock);
      lane.take_delivery();
      lane.show_stock();
      lane.stock.messages.likely_next()->expect();
    }
    if (take(message)) lane.returned.push(message);
    lane.lock.unlock();
    return true;
  }

  // A stock that has been searched in vain, up to a delivery. Nothing that fits can be there before the
  // next one; also if the lane has served others meanwhile, since it was empty then.
  struct Search {
    bool covers(const Lane& now) const noexcept {
      return lane == &now && deliveries == now.stock.deliveries;
    }
    const Lane* lane = nullptr;
    std::uint64_t deliveries = 0;
  };

  // With the stock's lock, which it lets go of.
  template <class Take>
  static bool take_from_stock(Lane& lane, PostedReceive& receive, Take&& take,
                              Search* searched) noexcept {
    UnexpectedMessage* const message = lane.stock.messages.take(receive.key);
    if (message != nullptr) {
      receive.order = ++lane.stock.last_order;
      receive.lane = nullptr;
      if (lane.stock.messages.empty()) lane.show_stock();
      if (const auto* next = lane.stock.messages.likely_next()) next->expect();
      if (take(*message)) lane.stock.used.push(*message);
    }
    *searched = {&lane, lane.stock.deliveries};
    lane.stock.lock.unlock();
    return message != nullptr;
  }

  // Lists the lane; false if a wildcard may by now want this message. With the
  // lane's lock.
  static bool may_keep(Lane& lane, int tag) noexcept {
    if (lane.listed) [[likely]]
      return true;
    lane.listed = true;
    static_cast<void>(lane.scope->news.push(lane));  // [a1]; no strand sleeps there
    return !lane.scope->awaits(tag);                 // [a2]
  }

  template <class Make>
  PostedReceive* arrive_with_scope(const Key& message, Make&& make) noexcept {
    Scope& scope = locked_scope(message.scope);
    Lane& lane = locked_lane(message.scope, peer_of(message));
    PostedReceive* receive = take_first_posted(scope, lane, message);
    if (receive == nullptr) {
      if (UnexpectedMessage* made = make(lane)) {
        if (!lane.listed) scope.list(lane);
        if (!scope.watchers.empty()) scope.tell_watchers(message);
        lane.keep(*made);
      }
    }
    lane.lock.unlock();
    scope.lock.unlock();
    return receive;
  }

  template <class Take>
  bool post_wildcard(PostedReceive& receive, Take&& take) noexcept {
    Scope& scope = locked_scope(receive.key.scope);
    scope.number(receive);
    scope.add_waiting(receive.key.tag);  // [p1]
    Lane* lane = locked_lane_with(scope, receive.key);
    receive.lane = lane == nullptr ? &scope : nullptr;
    if (lane != nullptr) {
      scope.remove_waiting(receive.key.tag);
      UnexpectedMessage& message = *lane->stock.messages.take(lane->narrowed(receive.key));
      if (take(message)) lane->stock.used.push(message);
      // The next one looks elsewhere first, so that no peer is kept waiting by another.
      scope.move_to_back(*lane);
      unlock_both(*lane);
    } else {
      scope.posted.add(receive);
    }
    scope.lock.unlock();
    return lane != nullptr;
  }

  // The receive in either table that was posted first and fits, taken out; nullptr if none does.
  // With both locks.
  static PostedReceive* take_first_posted(Scope& scope, Lane& lane, const Key& message) noexcept;

  // With the lane's lock: takes the stock's too, and moves what is fresh to the stock. As take_delivery().
  static void lock_stock(Lane& lane) noexcept {
    lane.stock.lock.lock();
    lane.take_delivery();
  }
  static void unlock_both(Lane& lane) noexcept {
    lane.show_stock();
    lane.stock.lock.unlock();
    lane.lock.unlock();
  }

  // [p2] A lane with a message that fits in its stock, with both locks; nullptr if there is none. Of the
  // lanes of one source it is the one with the oldest. With the scope's lock.
  Lane* locked_lane_with(Scope& scope, const Pattern& wanted) const noexcept;

  // Calls back with a message that fits, in the stock of a lane that is locked on both sides. False if
  // there is none.
  template <class Visit>
  bool visit_first(const Pattern& wanted, Visit&& visit) noexcept;

  Directory directory_;
};

}  // namespace heddle::match
