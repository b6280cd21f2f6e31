#include "mpi/match/held.h"

#include <new>
#include <unordered_set>

namespace heddle::match {

void LaneHeld::tell_watchers(const Key& message) const noexcept {
  for (auto it = lane_->watchers.begin(); it != lane_->watchers.end();) {
    Watcher& watcher = *it;
    ++it;
    if (!fits(watcher.wanted, message)) continue;
    IntrusiveList<Watcher>::erase(watcher);
    if (is_wildcard(watcher.wanted)) ContextHeld::of(*this).remove_waiting(watcher.wanted.tag);
    watcher.arrived();
  }
}

void LaneHeld::open_ring() const noexcept {
  Lane& lane = *lane_;
  ContextLane& context = *lane.context;
  if (context.deliverer == nullptr) return;
  if (!lane.posted.empty() || may_have_messages() || !lane.watchers.empty()) return;
  // Does what is done for a message that is kept: [a1] and [a2] of matcher.h.
  if (!lane.listed) {
    lane.listed = true;
    static_cast<void>(context.news.push(lane));
  }
  if (context.awaited.load(std::memory_order_relaxed) != 0) return;
  if (lane.ring == nullptr) lane.ring.reset(new (std::nothrow) EagerRing);
  if (lane.ring == nullptr) return;
  const SpinGuard guard(lane.ring->lock);
  // release: a sender sees it made.
  lane.open_ring.store(lane.ring.get(), std::memory_order_release);
}

void LaneHeld::close_open_ring() const noexcept {
  EagerRing& ring = *lane_->ring;
  {
    const SpinGuard guard(ring.lock);
    lane_->open_ring.store(nullptr, std::memory_order_relaxed);
  }
  lane_->forget_spins();
  while (const EagerSlot* const slot = ring.front()) {
    if (!deliver(*slot)) {
      UnexpectedMessage& message =
          lane_->context->deliverer->copy(*this, lane_->key_of(slot->tag), *slot);
      message.kept_at = slot->sent_at;
      keep_with_time(message);
    }
    ring.take();
  }
}

// False if no receive is posted for it.
bool LaneHeld::deliver(const EagerSlot& slot) const noexcept {
  const Key key = lane_->key_of(slot.tag);
  PostedReceive* const receive = lane_->posted.take(key);
  if (receive != nullptr) lane_->context->deliverer->deliver(*receive, key, slot);
  return receive != nullptr;
}

void LaneHeld::read_ring() const noexcept {
  EagerRing& ring = *lane_->ring;
  while (!lane_->posted.empty()) {
    const EagerSlot* const slot = ring.front();
    if (slot == nullptr) return;
    if (!deliver(*slot)) return close_open_ring();
    ring.take();
  }
}

[[gnu::noinline]] const EagerSlot* LaneHeld::slot_for(int tag, bool attended) const noexcept {
  if (!attended) {
    close_ring();
    return nullptr;
  }
  if (!lane_->ring_is_open()) {
    open_ring();
    return nullptr;
  }
  read_ring();
  if (!lane_->ring_is_open() || !lane_->posted.empty()) return nullptr;
  const EagerSlot* const slot = lane_->ring->front();
  if (slot == nullptr || slot->tag == tag) return slot;
  close_open_ring();
  return nullptr;
}

[[gnu::noinline]] void LaneHeld::make_way(const Key& message) const noexcept {
  read_ring();
  if (lane_->posted.find(message) == nullptr) close_ring();
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
  return lane.stock.messages.take(lane.key_of(MPI_ANY_TAG));
}

void BothHeld::take_spares(Spares* taken) const noexcept {
  Lane& lane = **this;
  for (Spares* spares : {&lane.spares, &lane.returned, &lane.stock.used}) {
    while (UnexpectedMessage* const spare = spares->pop_any()) taken->push(*spare);
  }
}

void BothHeld::assign(MatchContext id, Peer peer, ContextLane* context) const noexcept {
  Lane& lane = **this;
  lane.id.store(id, std::memory_order_relaxed);
  lane.peer.store(peer, std::memory_order_relaxed);
  lane.context = context;
  lane.has_siblings.store(false, std::memory_order_relaxed);
  lane.forget_spins();
}

bool BothHeld::is_valid() const noexcept {
  const Lane& lane = **this;
  if (!lane.posted.is_valid() || !lane.fresh.is_valid(lane.fresh_count)) return false;
  if (!lane.stock.messages.is_valid() || lane.stocked() == lane.stock.messages.empty())
    return false;
  if (!lane.watchers.is_valid()) return false;
  if (lane.ring != nullptr) {  // M1 and M2 of eager_ring.h
    const bool fit = lane.listed && lane.watchers.empty() && !may_have_messages();
    if (lane.ring_is_open() ? !fit : lane.ring->front() != nullptr) return false;
  }
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

void ContextHeld::take_news() const noexcept {
  ContextLane& context = **this;
  for (InboxNode* node = context.news.take_all_visibly(); node != nullptr;) {
    Lane& lane = static_cast<Lane&>(*node);
    node = node->next;
    context.busy.push_back(lane);
  }
}

void ContextHeld::add_waiting(int tag) const noexcept {
  ContextLane& context = **this;
  if (tag == MPI_ANY_TAG) {
    ++context.waiting_for_any_tag;
  } else if (context.waiting[hash_of(tag)]++ == 0) {
    context.awaited_tags |= ContextLane::bit_of(tag);
  }
  show_awaited();
}

void ContextHeld::remove_waiting(int tag) const noexcept {
  ContextLane& context = **this;
  if (tag == MPI_ANY_TAG) {
    --context.waiting_for_any_tag;
  } else if (--context.waiting[hash_of(tag)] == 0) {
    context.awaited_tags &= ~ContextLane::bit_of(tag);
  }
  show_awaited();
}

void ContextHeld::show_awaited() const noexcept {
  ContextLane& context = **this;
  context.awaited.store(context.waiting_for_any_tag != 0 ? ~std::uint64_t{0} : context.awaited_tags,
                        std::memory_order_relaxed);
}

}  // namespace heddle::match
