#include "mpi/match/matcher.h"

#include <algorithm>
#include <cassert>

namespace heddle::match {

Lane& Matcher::locked_lane_slow(ScopeId scope, Peer peer) noexcept {
  for (;;) {
    Lane& lane = directory_.make(scope, peer);
    lane.lock.lock();
    if (lane.serves(scope, peer)) return lane;
    lane.lock.unlock();
  }
}

PostedReceive* Matcher::take_first_posted(Scope& scope, Lane& lane, const Key& message) noexcept {
  PostedReceive* in_lane = lane.posted.find(message);
  PostedReceive* in_scope = scope.posted.find(message);
  if (in_scope != nullptr && (in_lane == nullptr || in_scope->order <= in_lane->epoch)) {
    scope.remove_waiting(in_scope->key.tag);
    scope.posted.cancel(*in_scope);
    return in_scope;
  }
  if (in_lane != nullptr) lane.posted.cancel(*in_lane);
  return in_lane;
}

Lane* Matcher::locked_lane_with(Scope& scope, const Pattern& wanted) const noexcept {
  scope.take_news();
  Lane* found = nullptr;
  std::int64_t found_kept_at = 0;
  for (auto it = scope.busy.begin(); it != scope.busy.end();) {
    Lane& lane = *it;
    ++it;
    // Any source will do, so the first one; but of its messages the oldest.
    const int source = found != nullptr ? found->source() : wanted.source;
    if (source != MPI_ANY_SOURCE && lane.source() != source) continue;
    const bool may_hold =
        directory_.shares().may_hold(lane.peer.load(std::memory_order_relaxed), wanted.tag);
    // One that seems to have no stock may be empty, and is then not met again.
    if (!may_hold && lane.stocked()) continue;
    lane.lock.lock();
    lock_stock(lane);
    const UnexpectedMessage* message =
        may_hold ? lane.stock.messages.peek(lane.narrowed(wanted)) : nullptr;
    if (message != nullptr && (found == nullptr || message->kept_at < found_kept_at)) {
      if (found != nullptr) unlock_both(*found);
      found = &lane;
      found_kept_at = message->kept_at;
      if (wanted.tag != MPI_ANY_TAG) return found;  // no other lane of this source has the tag
      continue;
    }
    if (lane.stock.messages.empty()) scope.unlist(lane);
    unlock_both(lane);
  }
  return found;
}

Matcher::Lengths Matcher::lengths() noexcept {
  Lengths lengths;
  for (Lane* lane : directory_.all()) {
    const PassedGuard guard(lane->lock);
    const PassedGuard stock_guard(lane->stock.lock);
    assert(lane->is_valid());
    ++lengths.lanes;
    lengths.listed_lanes += lane->listed;
    lengths.posted += lane->posted.length();
    lengths.unexpected += lane->fresh_count + lane->stock.messages.length();
  }
  return lengths;
}

bool Matcher::is_valid() noexcept {
  const std::vector<Lane*> lanes = directory_.all();
  return std::all_of(lanes.begin(), lanes.end(), [](Lane* lane) {
    const PassedGuard guard(lane->lock);
    const PassedGuard stock_guard(lane->stock.lock);
    return lane->is_valid();
  });
}

bool Matcher::cancel(PostedReceive& receive) noexcept {
  if (receive.lane == nullptr) return false;
  const PassedGuard guard(receive.lane->lock);
  if (!receive.lane->posted.cancel(receive)) return false;
  if (is_wildcard(receive.key)) receive.lane->scope->remove_waiting(receive.key.tag);
  return true;
}

bool Matcher::cancel(UnexpectedMessage& message) noexcept {
  if (message.lane == nullptr) return false;
  Lane& lane = *message.lane;
  lane.lock.lock();
  lock_stock(lane);
  const bool cancelled = lane.stock.messages.cancel(message);
  unlock_both(lane);
  return cancelled;
}

template <class Visit>
bool Matcher::visit_first(const Pattern& wanted, Visit&& visit) noexcept {
  if (!is_wildcard(wanted)) {
    Lane& lane = locked_lane(wanted.scope, peer_of(wanted));
    if (!lane.may_have_messages()) {
      lane.lock.unlock();
      return false;
    }
    lock_stock(lane);
    UnexpectedMessage* message = lane.stock.messages.peek(wanted);
    if (message != nullptr) visit(lane, *message);
    unlock_both(lane);
    return message != nullptr;
  }
  Scope& scope = locked_scope(wanted.scope);
  // Announced where a source has several lanes to look at, as a receive is.
  const bool announced = wanted.tag == MPI_ANY_TAG;
  if (announced) scope.add_waiting(wanted.tag);
  Lane* lane = locked_lane_with(scope, wanted);
  if (announced) scope.remove_waiting(wanted.tag);
  if (lane != nullptr) {
    visit(*lane, *lane->stock.messages.peek(lane->narrowed(wanted)));
    unlock_both(*lane);
  }
  scope.lock.unlock();
  return lane != nullptr;
}

bool Matcher::peek(const Pattern& wanted, Envelope* found) noexcept {
  return visit_first(wanted,
                     [found](Lane&, UnexpectedMessage& message) { *found = message.envelope(); });
}

UnexpectedMessage* Matcher::take(const Pattern& wanted) noexcept {
  UnexpectedMessage* taken = nullptr;
  visit_first(wanted, [&](Lane& lane, UnexpectedMessage& message) {
    lane.stock.messages.cancel(message);
    if (is_wildcard(wanted)) lane.scope->move_to_back(lane);  // as post_wildcard
    taken = &message;
  });
  return taken;
}

bool Matcher::watch(Watcher& watcher) noexcept {
  const Pattern& wanted = watcher.wanted;
  Lane& lane = locked_lane(wanted.scope, peer_of(wanted));
  bool found = false;
  if (is_wildcard(wanted)) {
    Scope& scope = static_cast<Scope&>(lane);
    scope.add_waiting(wanted.tag);
    if (Lane* with_message = locked_lane_with(scope, wanted)) {
      unlock_both(*with_message);
      scope.remove_waiting(wanted.tag);
      found = true;
    }
  } else {
    lock_stock(lane);
    found = lane.stock.messages.peek(wanted) != nullptr;
    lane.show_stock();
    lane.stock.lock.unlock();
  }
  if (!found) lane.watchers.push_back(watcher);
  lane.lock.unlock();
  return !found;
}

void Matcher::forget(ScopeId id) noexcept {
  Lane* found = directory_.find(id, kAnyPeer);
  if (found == nullptr) return;
  Scope& scope = static_cast<Scope&>(*found);
  const PassedGuard guard(scope.lock);
  if (scope.serves(id, kAnyPeer)) directory_.remove(scope);
}

}  // namespace heddle::match
