// matcher.h — pairs the messages that arrive at one rank with the receives that it posts, from many
// strands at once and with no lock of the rank (MPI 5.0 §3.5).
//
//   arrive   lock the lane ─┬─ no wildcard may want it: match in the lane, or keep there
//                           └─ one may: let go, lock the context's, then the lane; of the fitting
//                              receives in both the one posted first wins; or keep
//   post     from a rank, with a tag: lock the lane, take the oldest message that fits, or post
//            there with a wildcard: lock the context's lane, announce it, look through the lanes
//            with messages, or post in the context's lane
//
// Small messages for a receiver that spins go another way, past the lane's lock, into a ring in
// front of the lane (eager_ring.h). Whatever else looks at the lane closes it first, so all that
// follows knows nothing of ring messages.
//
// Messages that are kept are either fresh, and under the lane's lock, which senders want, or in
// stock, and under a lock of the stock. A receive that finds several fresh ones moves them all to
// the stock; as long as the next receives find there what they want, they touch no line that a
// sender writes. Senders touch the stock only to take back emptied cells, and only if its lock is
// free. A sender that is far ahead also moves fresh messages there.
//
//   post    the lane seems to have a stock: lock the stock, take from there
//           no stock, or nothing there: lock the lane ─┬─ nothing has come since that look: post
//                                                      ├─ no stock, and the oldest fresh one is it:
//                                                      │  take it, move the rest to the stock
//                                                      └─ move what is fresh to the stock, and look
//                                                         there (again)
//
// So the lane's lock is free while a post sorts the stock. Every other strand that looks at
// messages (wildcards, probes, cancel) has both locks, and moves what is fresh first.
//
// So the usual message takes one lock that only the strands talking with this peer about these tags
// want. A pending wildcard slows down only messages whose tag it may match (ContextLane::awaits).
//
// A receive of any tag looks at several lanes of one source: of their oldest messages the one that
// was kept first is the one that was sent first (`kept_at`). It holds the locks of those it
// compares; and because it is announced, a message that comes while it looks waits for the match
// context's lock, so nothing that it finds was sent after something that it has missed. So does a
// probe of any tag.
//
// Who was posted first: receives with a wildcard are numbered in their match context (`order`), and
// a receive in a lane notes how many there were (`epoch`). It was posted before receive w exactly
// if its epoch is smaller than w's order. Two posts that no program order connects may come out
// either way.
//
// The handshake between a message that is kept and a receive with a wildcard that looks for one
//   arrive  [a1] lists the lane in the context's news (a read-modify-write), unless it is listed
//           [a2] asks awaits(), still with the lane's lock
//   post    [p1] announces itself in `awaited`
//           [p2] takes the news (a read-modify-write), then locks the listed lanes that may hold it
//   If [p2] does not get a lane that may, [a1] comes after it in the news' order and sees [p1]; so
//   does every later holder of the lane's lock. If it does, the lane's lock orders the two: either
//   the receive finds the message, or [a2] comes after [p1]. models/matching.pml checks this.
//
// Thread safety: every function any strand; none switches (but debug builds at their locks). No
// callback may block. Lock order: match context, directory, lane, stock; and a ring's after its
// lane's.
//
// Invariants
//   I1  A message that is kept fits no posted receive of its context, once the locks are free.
//   I2  A receive or message is in the queues of the lane that its `lane` names, or in none.
//   I3  A lane with messages is listed.
//   I4  An arrival tells all watchers before a receiver can find the message in the stock: keep()
//       is the last to use it.

#pragma once

#include <optional>
#include <utility>

#include "mpi/match/directory.h"
#include "mpi/match/taking.h"

namespace heddle::match {

class Matcher {
 public:
  // `deliverer`: nullptr for none, and no ring messages.
  explicit Matcher(TagShares shares, Deliverer* deliverer = nullptr)
      : directory_(shares, deliverer) {}

  // The lane of such a message, as a guess; nullptr if there is none yet. For send_by_ring() and
  // arrive().
  Lane* find(const Key& message) const noexcept {
    return directory_.find(message.context, peer_of_message(message));
  }

  // Leaves a message of at most EagerSlot::kMost bytes in the ring of the lane that find() has
  // found. False if that is not open, or full.
  bool send_by_ring(Lane& lane, const Key& message, const void* data,
                    std::size_t bytes) const noexcept;

  // A message has come. Returns the receive that it belongs to, which is then the caller's, or
  // nullptr after keeping what `make(LaneHeld)` returns. `make` is called once at most, and may
  // return nullptr to keep nothing. Before arrive() returns, another strand may have received and
  // freed what is kept; if `message` is its key, that is gone, too.
  template <class Make>
  PostedReceive* arrive(const Key& message, Make&& make) noexcept {
    return arrive(find(message), message, std::forward<Make>(make));
  }
  // Does what arrive(message, make) does. `probably` is what find() has found.
  template <class Make>
  PostedReceive* arrive(Lane* probably, const Key& message, Make&& make) noexcept {
    // A message whose receive is posted costs less than one that has to be kept, so posts go first.
    const LaneHeld lane =
        locked<Manners::kGiveWay>(probably, message.context, peer_of_message(message));
    if (lane->ring_is_open()) [[unlikely]]
      lane.make_way(message);
    if (!lane->context->awaits(message.tag)) [[likely]] {
      PostedReceive* receive = lane->posted.take(message);
      if (receive != nullptr) {
        lane.unlock();
        return receive;
      }
      if (may_keep(lane, message.tag)) [[likely]] {
        if (UnexpectedMessage* made = make(lane)) lane.keep(*made);
        lane.unlock();
        return nullptr;
      }
    }
    lane.unlock();
    return arrive_with_context(message, std::forward<Make>(make));
  }

  // Posts a receive, or gives the message for it to `take(UnexpectedMessage&)` or `open(const
  // EagerSlot&)`, with a lock held, and returns true. `take` returns whether the message's memory
  // is free for the next message. `attended`: the strand that waits for the receive calls
  // read_ring() meanwhile, and close_ring() before it parks (eager_ring.h).
  template <class Take, class Open>
  bool post(PostedReceive& receive, bool attended, Take&& take, Open&& open) noexcept {
    const Peer peer = peer_of(receive.key);
    if (peer == kAnyPeer) return post_wildcard(receive, std::forward<Take>(take));
    Lane* const known = directory_.find(receive.key.context, peer);
    if (known != nullptr && !known->stocked()) [[likely]] {
      const LaneHeld lane = LaneHeld::lock(*known);
      if (lane->serves(receive.key.context, peer)) [[likely]] {
        if (lane->ring_is_open() || (attended && lane->may_open_ring())) [[unlikely]] {
          if (const EagerSlot* const slot = lane.slot_for(receive.key.tag, attended)) {
            lane->posted.number(receive);
            receive.lane = nullptr;
            open(*slot);
            lane->ring->take();
            lane.unlock();
            return true;
          }
        }
        if (!lane.may_have_messages()) [[likely]] {
          post_in(lane, receive);
          lane.unlock();
          return false;
        }
        if (take_fresh(lane, receive, take)) return true;
      }
      lane.unlock();
    }
    return post_slow(known, receive, peer, std::forward<Take>(take));
  }
  template <class Take>
  bool post(PostedReceive& receive, Take&& take) noexcept {
    return post(receive, false, std::forward<Take>(take), [](const EagerSlot&) {});
  }

  // For strands that attend a receive of this lane. False if no receive is posted there any more.
  static bool read_ring(Lane& lane) noexcept;
  static void close_ring(Lane& lane) noexcept;

  // Take back a receive that was posted or a message that was kept here; false if it has matched.
  static bool cancel(PostedReceive& receive) noexcept;
  static bool cancel(UnexpectedMessage& message) noexcept;

  // What a receive would get now, and leaves it there. False if there is nothing.
  bool peek(const Pattern& wanted, Envelope* found) noexcept;

  // Takes out what a receive would get now; nullptr if there is nothing.
  UnexpectedMessage* take(const Pattern& wanted) noexcept;

  // Tells the watcher when a message arrives that fits. False if one is there already.
  bool watch(Watcher& watcher) noexcept;

  // Hardly a message of the match context will come, or a receive be posted, any more: its idle
  // lanes may serve others, and what they keep for messages is discarded. Receives and messages
  // that wait stay.
  void forget_idle(MatchContext context) noexcept;
  // None will come: the same, and the match context may serve others.
  void forget(MatchContext context) noexcept;

  // How many receives and messages wait, for tools: lane by lane under its lock, while it counts.
  struct Lengths {
    std::size_t posted = 0;
    std::size_t unexpected = 0;
    std::size_t lanes = 0;         // that have ever been made, match contexts included
    std::size_t listed_lanes = 0;  // that may have messages
  };
  Lengths lengths() noexcept;

  // Calls back with every receive that is posted, and with the envelope of every message that is
  // kept, and of every ring message. That may be for a posted receive, whose strand has not looked
  // yet. Requires that no strand uses the matcher.
  template <class Posted, class Kept, class Left>
  void for_each(Posted&& posted, Kept&& kept, Left&& left) noexcept {
    directory_.for_each([&](const Lane& lane) {
      const auto tell = [&kept](const UnexpectedMessage& message) { kept(message.envelope()); };
      lane.posted.for_each(posted);
      lane.stock.messages.for_each(tell);
      lane.fresh.for_each(tell);
      if (lane.ring_is_open()) {
        lane.ring->for_each([&](const EagerSlot& slot) {
          left(Envelope{lane.key_of(slot.tag), slot.bytes});
        });
      }
    });
  }

  // True if every lane is valid, one after the other under its locks. Any strand, while others go
  // on.
  bool is_valid() noexcept;

  // Takes the memory of a message back that was taken out and is no longer needed.
  static void give_back(UnexpectedMessage& message) noexcept {
    const Locked stock(StockHeld::lock(*message.lane));
    (*stock)->used.push(message);
  }

  // For the owner's destructor, when no strand uses the matcher: takes out every message that is
  // left, and all memory for messages, for the functions to free.
  template <class Drop, class Free>
  void clear(Drop&& drop, Free&& free) noexcept {
    directory_.for_each([&](Lane& each) {
      const BothHeld lane = BothHeld::of(each);
      lane.close_ring();
      while (UnexpectedMessage* left = lane.take_any()) drop(*left);
      Spares spares;
      lane.take_spares(&spares);
      while (UnexpectedMessage* spare = spares.pop_any()) free(*spare);
    });
  }

 private:
  Peer peer_of(const Pattern& wanted) const noexcept { return directory_.shares().peer_of(wanted); }
  Peer peer_of_message(const Key& message) const noexcept {
    return directory_.shares().peer_of_message(message);
  }

  using Remove = void (Directory::*)(ContextHeld context, Spares* spares) noexcept;
  void remove(MatchContext id, Remove remove) noexcept;

  enum class Manners : bool { kPush, kGiveWay };

  // The lane of (match context, peer).
  template <Manners manners = Manners::kPush>
  [[gnu::always_inline]] LaneHeld locked_lane(MatchContext context, Peer peer) noexcept {
    return locked<manners>(directory_.find(context, peer), context, peer);
  }
  // The lane of (match context, peer); `probably` is what the directory has found.
  template <Manners manners = Manners::kPush>
  [[gnu::always_inline]] LaneHeld locked(Lane* probably, MatchContext context, Peer peer) noexcept {
    if (probably != nullptr) [[likely]] {
      const LaneHeld lane = manners == Manners::kGiveWay ? LaneHeld::lock_giving_way(*probably)
                                                         : LaneHeld::lock(*probably);
      if (lane->serves(context, peer)) [[likely]]
        return lane;
      lane.unlock();
    }
    return locked_lane_slow(context, peer);
  }
  // Locks a lane that is not there yet, or no longer.
  LaneHeld locked_lane_slow(MatchContext context, Peer peer) noexcept;
  ContextHeld locked_context(MatchContext context) noexcept {
    return ContextHeld::of(locked_lane(context, kAnyPeer));
  }

  // The rest of post(), where there seems to be a message, or no lane.
  template <class Take>
  [[gnu::noinline]] bool post_slow(Lane* known, PostedReceive& receive, Peer peer,
                                   Take&& take) noexcept {
    StockSearch searched;
    if (known != nullptr && known->stocked()) {
      if (take_from_stock(StockHeld::lock(*known), receive, take, &searched)) return true;
    }
    for (;;) {
      const LaneHeld lane = locked(known, receive.key.context, peer);
      lane.close_ring();
      if (lane->fresh.empty() && (!lane->stocked() || searched.covers(lane))) {
        post_in(lane, receive);
        lane.unlock();
        return false;
      }
      const StockHeld stock = lane.with_delivery().unlock_lane();
      if (take_from_stock(stock, receive, take, &searched)) return true;
    }
  }

  // Posts a receive for which there is no message. On the way of each one that waits.
  [[gnu::always_inline]] static void post_in(LaneHeld lane, PostedReceive& receive) noexcept {
    lane->posted.number(receive);
    // relaxed: a post that comes after another in the program sees its epoch.
    receive.epoch = lane->context->epoch.load(std::memory_order_relaxed);
    receive.lane = &*lane;
    lane->posted.add(receive);
  }

  // Lists the lane; false if a wildcard may by now want this message.
  static bool may_keep(LaneHeld lane, int tag) noexcept {
    if (lane->listed) [[likely]]
      return true;
    lane->listed = true;
    static_cast<void>(lane->context->news.push(*lane));  // [a1]; no strand sleeps there
    return !lane->context->awaits(tag);                  // [a2]
  }

  template <class Make>
  PostedReceive* arrive_with_context(const Key& message, Make&& make) noexcept {
    const ContextHeld context = locked_context(message.context);
    const LaneHeld lane = locked_lane(message.context, peer_of_message(message));
    if (lane->ring_is_open()) [[unlikely]]
      lane.make_way(message);
    PostedReceive* receive = take_first_posted(context, lane, message);
    if (receive == nullptr) {
      if (UnexpectedMessage* made = make(lane)) {
        if (!lane->listed) context.list(lane);
        if (!context->watchers.empty()) context.tell_watchers(message);
        lane.keep(*made);
      }
    }
    lane.unlock();
    context.unlock();
    return receive;
  }

  template <class Take>
  bool post_wildcard(PostedReceive& receive, Take&& take) noexcept {
    const ContextHeld context = locked_context(receive.key.context);
    context.number(receive);
    context.add_waiting(receive.key.tag);  // [p1]
    const std::optional<BothHeld> lane = locked_lane_with(context, receive.key);
    receive.lane = lane ? nullptr : &*context;
    if (lane) {
      context.remove_waiting(receive.key.tag);
      Stock& stock = (*lane)->stock;
      UnexpectedMessage& message = *stock.messages.take((*lane)->narrowed(receive.key));
      if (take(message)) stock.used.push(message);
      // The next one looks elsewhere first, so that no peer is kept waiting by another.
      context.move_to_back(*lane);
      lane->unlock();
    } else {
      context->posted.add(receive);
    }
    context.unlock();
    return lane.has_value();
  }

  // The receive in either table that was posted first and fits, taken out; nullptr if none does.
  static PostedReceive* take_first_posted(ContextHeld context, LaneHeld lane,
                                          const Key& message) noexcept;

  // [p2] A lane with a message that fits in its stock; none if there is none. Of the lanes of one
  // source it is the one with the oldest.
  std::optional<BothHeld> locked_lane_with(ContextHeld context,
                                           const Pattern& wanted) const noexcept;

  // Calls back with a lane and a message in its stock that fits. False if there is none.
  template <class Visit>
  bool visit_first(const Pattern& wanted, Visit&& visit) noexcept;

  Directory directory_;
};

}  // namespace heddle::match
