#include "mpi/match/matcher.h"

#include <algorithm>
#include <cassert>

namespace heddle::match {

LaneHeld Matcher::locked_lane_slow(MatchContext context, Peer peer) noexcept {
  for (;;) {
    const LaneHeld lane = LaneHeld::lock(directory_.make(context, peer));
    if (lane->serves(context, peer)) return lane;
    lane.unlock();
  }
}

// Not inlined, so that messages that do not go this way pay little for it.
[[gnu::noinline]] bool Matcher::send_by_ring(Lane& lane, const Key& message, const void* data,
                                             std::size_t bytes) const noexcept {
  EagerRing* const ring = lane.open_ring.load(std::memory_order_acquire);
  if (ring == nullptr) return false;
  const SpinGuard guard(ring->lock);
  // While it is open, its lane serves what it does.
  if (lane.open_ring.load(std::memory_order_relaxed) != ring) return false;
  if (!lane.serves(message.context, peer_of_message(message)) || ring->full()) return false;
  ring->write(message.tag, lane.time_of_message(), data, bytes);
  ring->fetch_next(bytes);
  return true;
}

bool Matcher::read_ring(Lane& lane) noexcept {
  const Locked held(LaneHeld::lock(lane));
  if (lane.ring_is_open()) held->read_ring();
  return !lane.posted.empty();
}

void Matcher::close_ring(Lane& lane) noexcept {
  Locked(LaneHeld::lock(lane))->close_ring();
}

PostedReceive* Matcher::take_first_posted(ContextHeld context, LaneHeld lane,
                                          const Key& message) noexcept {
  PostedReceive* in_lane = lane->posted.find(message);
  PostedReceive* in_context = context->posted.find(message);
  if (in_context != nullptr && (in_lane == nullptr || in_context->order <= in_lane->epoch)) {
    context.remove_waiting(in_context->key.tag);
    context->posted.cancel(*in_context);
    return in_context;
  }
  if (in_lane != nullptr) lane->posted.cancel(*in_lane);
  return in_lane;
}

std::optional<BothHeld> Matcher::locked_lane_with(ContextHeld context,
                                                  const Pattern& wanted) const noexcept {
  context.take_news();
  std::optional<BothHeld> found;
  std::int64_t found_kept_at = 0;
  for (auto it = context->busy.begin(); it != context->busy.end();) {
    Lane& next = *it;
    ++it;
    // Any source will do, so it takes the first one; but of its messages the oldest.
    const int source = found ? (*found)->source() : wanted.source;
    if (source != MPI_ANY_SOURCE && next.source() != source) continue;
    const bool may_hold =
        directory_.shares().may_hold(next.peer.load(std::memory_order_relaxed), wanted.tag);
    // A lane that seems to have nothing may be empty, and is then not met again.
    if (!may_hold && (next.stocked() || next.ring_is_open())) continue;
    const BothHeld lane = LaneHeld::lock(next).with_delivery();
    const UnexpectedMessage* message =
        may_hold ? lane->stock.messages.peek(lane->narrowed(wanted)) : nullptr;
    if (message != nullptr && (!found || message->kept_at < found_kept_at)) {
      if (found) found->unlock();
      found = lane;
      found_kept_at = message->kept_at;
      if (wanted.tag != MPI_ANY_TAG) return found;  // no other lane of this source has the tag
      continue;
    }
    if (lane->stock.messages.empty()) ContextHeld::unlist(lane);
    lane.unlock();
  }
  return found;
}

Matcher::Lengths Matcher::lengths() noexcept {
  Lengths lengths;
  for (Lane* lane : directory_.all()) {
    const Locked held(BothHeld::lock(*lane));
    assert(held->is_valid());
    ++lengths.lanes;
    lengths.listed_lanes += lane->listed;
    lengths.posted += lane->posted.length();
    lengths.unexpected += lane->fresh_count + lane->stock.messages.length();
    if (lane->ring_is_open()) lengths.unexpected += lane->ring->count();
  }
  return lengths;
}

bool Matcher::is_valid() noexcept {
  const std::vector<Lane*> lanes = directory_.all();
  return std::all_of(lanes.begin(), lanes.end(),
                     [](Lane* lane) { return Locked(BothHeld::lock(*lane))->is_valid(); });
}

bool Matcher::cancel(PostedReceive& receive) noexcept {
  if (receive.lane == nullptr) return false;
  const Locked lane(LaneHeld::lock(*receive.lane));
  lane->close_ring();
  if (!(*lane)->posted.cancel(receive)) return false;
  // A receive with a wildcard was posted in a match context.
  if (is_wildcard(receive.key)) ContextHeld::of(*lane).remove_waiting(receive.key.tag);
  return true;
}

bool Matcher::cancel(UnexpectedMessage& message) noexcept {
  if (message.lane == nullptr) return false;
  const Locked lane(LaneHeld::lock(*message.lane).with_delivery());
  return (*lane)->stock.messages.cancel(message);
}

template <class Visit>
bool Matcher::visit_first(const Pattern& wanted, Visit&& visit) noexcept {
  if (!is_wildcard(wanted)) {
    const LaneHeld lane = locked_lane(wanted.context, peer_of(wanted));
    if (!lane.may_have_messages() && !(lane->ring_is_open() && lane->ring->front() != nullptr)) {
      lane.unlock();
      return false;
    }
    const Locked both(lane.with_delivery());
    UnexpectedMessage* message = lane->stock.messages.peek(wanted);
    if (message != nullptr) visit(*both, *message);
    return message != nullptr;
  }
  const Locked context(locked_context(wanted.context));
  // Announced where a source has several lanes to look at, as a receive is.
  const bool announced = wanted.tag == MPI_ANY_TAG;
  if (announced) context->add_waiting(wanted.tag);
  const std::optional<BothHeld> lane = locked_lane_with(*context, wanted);
  if (announced) context->remove_waiting(wanted.tag);
  if (!lane) return false;
  visit(*lane, *(*lane)->stock.messages.peek((*lane)->narrowed(wanted)));
  lane->unlock();
  return true;
}

bool Matcher::peek(const Pattern& wanted, Envelope* found) noexcept {
  return visit_first(
      wanted, [found](BothHeld, UnexpectedMessage& message) { *found = message.envelope(); });
}

UnexpectedMessage* Matcher::take(const Pattern& wanted) noexcept {
  UnexpectedMessage* taken = nullptr;
  visit_first(wanted, [&](BothHeld lane, UnexpectedMessage& message) {
    lane->stock.messages.cancel(message);
    // As post_wildcard; the match context's lock is held for a wildcard.
    if (is_wildcard(wanted)) ContextHeld::of(*lane->context).move_to_back(lane);
    taken = &message;
  });
  return taken;
}

bool Matcher::watch(Watcher& watcher) noexcept {
  const Pattern& wanted = watcher.wanted;
  const Locked lane(locked_lane(wanted.context, peer_of(wanted)));
  bool found = false;
  if (is_wildcard(wanted)) {
    const ContextHeld context = ContextHeld::of(*lane);
    context.add_waiting(wanted.tag);
    if (const std::optional<BothHeld> with_message = locked_lane_with(context, wanted)) {
      with_message->unlock();
      context.remove_waiting(wanted.tag);
      found = true;
    }
  } else {
    const BothHeld both = lane->with_delivery();
    const Locked stock(both.stock());
    found = (*stock)->messages.peek(wanted) != nullptr;
    stock->show();
  }
  if (!found) (*lane)->watchers.push_back(watcher);
  return !found;
}

void Matcher::remove(MatchContext id, Remove remove) noexcept {
  Lane* found = directory_.find(id, kAnyPeer);
  if (found == nullptr) return;
  Spares spares;
  {
    const Locked context(ContextHeld::lock(static_cast<ContextLane&>(*found)));
    if ((*context)->serves(id, kAnyPeer)) (directory_.*remove)(*context, &spares);
  }
  directory_.discard(spares);
}

void Matcher::forget_idle(MatchContext id) noexcept {
  remove(id, &Directory::remove_idle);
}

void Matcher::forget(MatchContext id) noexcept {
  remove(id, &Directory::remove);
}

}  // namespace heddle::match
