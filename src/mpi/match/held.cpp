#include "mpi/match/held.h"

#include <unordered_set>

namespace heddle::match {

void LaneHeld::tell_watchers(const Key& message) const noexcept {
  for (auto it = lane_->watchers.begin(); it != lane_->watchers.end();) {
    Watcher& watcher = *it;
    ++it;
    if (!fits(watcher.wanted, message)) continue;
    IntrusiveList<Watcher>::erase(watcher);
    if (is_wildcard(watcher.wanted)) ScopeHeld::of(*this).remove_waiting(watcher.wanted.tag);
    watcher.arrived();
  }
}

void LaneHeld::find_spares(MPI_Count bytes) const noexcept {
  Lane& lane = *lane_;
  lane.spares.swap(lane.returned, bytes);
  // The strand that has the stock's lock may be sorting.
  if (lane.spares.next(bytes) != nullptr || !lane.stock.lock.try_lock()) return;
  lane.spares.swap(lane.stock.used, bytes);
  lane.stock.lock.unlock();
}

void LaneHeld::sort_pile() const noexcept {
  if (!lane_->stock.lock.try_lock()) return;  // a receiver is there
  const BothHeld both(*lane_);
  const Locked stock(both.stock());
  both.take_delivery();
  (*stock)->messages.sort_all();
  stock->show();
}

void BothHeld::take_delivery() const noexcept {
  Lane& lane = **this;
  if (lane.fresh.empty()) return;
  lane.stock.messages.take_over(lane.fresh, lane.fresh_count);
  lane.fresh_count = 0;
  lane.sorts_early = lane.stock.messages.out_of_order();
  ++lane.stock.deliveries;
  lane.stock.last_order = lane.posted.set_aside(lane.stock.messages.length());
}

UnexpectedMessage* BothHeld::take_any() const noexcept {
  Lane& lane = **this;
  take_delivery();
  return lane.stock.messages.take(
      {lane.id.load(std::memory_order_relaxed), lane.source(), MPI_ANY_TAG});
}

void BothHeld::assign(ScopeId id, Peer peer, Scope* scope) const noexcept {
  Lane& lane = **this;
  lane.id.store(id, std::memory_order_relaxed);
  lane.peer.store(peer, std::memory_order_relaxed);
  lane.scope = scope;
  lane.has_siblings = false;
}

bool BothHeld::is_valid() const noexcept {
  const Lane& lane = **this;
  if (!lane.posted.is_valid() || !lane.fresh.is_valid(lane.fresh_count)) return false;
  if (!lane.stock.messages.is_valid() || lane.stocked() == lane.stock.messages.empty())
    return false;
  if (!lane.watchers.is_valid()) return false;
  bool sound = lane.listed || (lane.fresh.empty() && lane.stock.messages.empty());
  std::unordered_set<int> tags;  // of the messages: all else of their envelopes is the lane's
  const auto look_at = [&](const UnexpectedMessage& message) {
    sound &= message.lane == &lane && message.key.source == lane.source();
    tags.insert(message.key.tag);
  };
  lane.fresh.for_each(look_at);
  lane.stock.messages.for_each(look_at);
  lane.posted.for_each([&](const PostedReceive& receive) {
    sound &= receive.lane == &lane && !tags.contains(receive.key.tag);
  });
  return sound;
}

void ScopeHeld::take_news() const noexcept {
  Scope& scope = **this;
  for (InboxNode* node = scope.news.take_all_visibly(); node != nullptr;) {
    Lane& lane = static_cast<Lane&>(*node);
    node = node->next;
    scope.busy.push_back(lane);
  }
}

void ScopeHeld::add_waiting(int tag) const noexcept {
  Scope& scope = **this;
  if (tag == MPI_ANY_TAG) {
    ++scope.waiting_for_any_tag;
  } else if (scope.waiting[hash_of(tag)]++ == 0) {
    scope.awaited_tags |= Scope::bit_of(tag);
  }
  show_awaited();
}

void ScopeHeld::remove_waiting(int tag) const noexcept {
  Scope& scope = **this;
  if (tag == MPI_ANY_TAG) {
    --scope.waiting_for_any_tag;
  } else if (--scope.waiting[hash_of(tag)] == 0) {
    scope.awaited_tags &= ~Scope::bit_of(tag);
  }
  show_awaited();
}

void ScopeHeld::show_awaited() const noexcept {
  Scope& scope = **this;
  scope.awaited.store(scope.waiting_for_any_tag != 0 ? ~std::uint64_t{0} : scope.awaited_tags,
                      std::memory_order_relaxed);
}

}  // namespace heddle::match
