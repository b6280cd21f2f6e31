#include "mpi/match/directory.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace heddle::match {

namespace {

constexpr std::uint32_t kFirstSlots = 16;
constexpr std::uint32_t kSlotsForEach = 2;  // at least

// Takes one that is not in use; null: there is none.
template <class T>
T* take(std::vector<T*>& free) {
  if (free.empty()) return nullptr;
  T* const taken = free.back();
  free.pop_back();
  return taken;
}

}  // namespace

Directory::Directory(TagShares shares, Deliverer* deliverer)
    : shares_(shares), postman_(deliverer) {
  table_.store(tables_.emplace_back(std::make_unique<Table>(kFirstSlots)).get(),
               std::memory_order_release);
}

Directory::~Directory() {
  for (auto& context : all_contexts_) context->news.take_all();
  for (Lane* const lane : all_lanes_) std::destroy_at(lane);
}

std::vector<Lane*> Directory::all() {
  SpinGuard guard(lock_);
  std::vector<Lane*> lanes;
  lanes.reserve(all_lanes_.size() + all_contexts_.size());
  lanes.insert(lanes.end(), all_lanes_.begin(), all_lanes_.end());
  for (auto& context : all_contexts_) lanes.push_back(context.get());
  return lanes;
}

Lane& Directory::make(MatchContext context, Peer peer) {
  Spares spares;
  Lane& made = find_or_make(context, peer, &spares);
  discard(spares);
  return made;
}

void Directory::discard(Spares spares) const noexcept {
  if (postman_ == nullptr) return;
  while (UnexpectedMessage* const spare = spares.pop_any()) postman_->discard(*spare);
}

Lane& Directory::find_or_make(MatchContext context, Peer peer, Spares* spares) {
  SpinGuard guard(lock_);
  if (Lane* present = find_exactly(context, peer)) return *present;
  ContextLane& its_context = context_lane(context);
  if (peer == kAnyPeer) return its_context;
  const bool has_siblings = announce_sibling(context, peer);
  Lane& lane = take_lane(spares);
  {
    const Locked held(BothHeld::lock(lane));
    held->assign(context, peer, &its_context);
    lane.order_then = Lane::kNotLookedAt;
    // Receives of one pair are told apart by their numbers, also where its lane was given up
    // between them.
    const std::uint64_t last = lane.posted.last_order();
    if (last < highest_order_) lane.posted.set_aside(highest_order_ - last);
    lane.has_siblings.store(has_siblings, std::memory_order_relaxed);
  }
  lane.next_of_context = std::exchange(its_context.lanes, &lane);
  link(lane, context, peer);
  return lane;
}

bool Directory::announce_sibling(MatchContext context, Peer peer) noexcept {
  for (std::uint32_t share = 0; share < shares_.count(); ++share) {
    Lane* sibling = find_exactly(context, TagShares::with_share(peer, share));
    if (sibling == nullptr) continue;
    // It has been alone, or all have been told.
    const Locked held(LaneHeld::lock(*sibling));
    sibling->has_siblings.store(true, std::memory_order_relaxed);
    return true;
  }
  return false;
}

ContextLane& Directory::context_lane(MatchContext id) {
  if (Lane* present = find_exactly(id, kAnyPeer)) return static_cast<ContextLane&>(*present);
  ContextLane* const free = take(free_contexts_);
  ContextLane& context =
      free != nullptr ? *free : *all_contexts_.emplace_back(std::make_unique<ContextLane>());
  Locked(BothHeld::lock(context))->assign(id, kAnyPeer, &context);
  context.deliverer = postman_;
  link(context, id, kAnyPeer);
  return context;
}

Lane& Directory::take_lane(Spares* spares) {
  if (free_lanes_.empty() && all_lanes_.size() >= next_search_) give_up_silent(spares);
  if (Lane* const free = take(free_lanes_)) return *free;
  std::pmr::polymorphic_allocator<Lane> memory(&memory_of_lanes_);
  return *all_lanes_.emplace_back(std::construct_at(memory.allocate(1)));
}

void Directory::give_up(ContextHeld context, Which which, Spares* spares) noexcept {
  for (Lane** place = &context->lanes; *place != nullptr;) {
    Lane& lane = **place;
    const LaneHeld alone = LaneHeld::lock(lane);
    const std::uint64_t order = lane.posted.last_order();
    const bool silent = order == std::exchange(lane.order_then, order);
    const bool wanted = which == Which::kIdle || (silent && lane.posted.empty());
    if (wanted) alone.close_ring();
    const Locked held(alone.with_stock());
    assert(held->is_valid());
    if (!wanted || !held->idle()) {
      place = &lane.next_of_context;
      continue;
    }
    if (lane.listed) {  // in the news, until now perhaps, or busy
      context.take_news();
      ContextHeld::unlist(*held);
    }
    assert(!lane.listed);
    *place = lane.next_of_context;
    unlink(lane);
    held->assign(0, 0, nullptr);
    held->take_spares(spares);
    highest_order_ = std::max(highest_order_, order);
    free_lanes_.push_back(&lane);
  }
}

// Whether the lanes that have been looked at have had many receives since, on average. If not, new
// ones are looked at for the first time.
bool Directory::silence_means_something() noexcept {
  std::uint64_t lanes = 0, receives = 0;
  for (Lane* const lane : all_lanes_) {
    const Locked held(LaneHeld::lock(*lane));
    if (lane->order_then == Lane::kNotLookedAt) {
      lane->order_then = lane->posted.last_order();
      continue;
    }
    ++lanes;
    receives += lane->posted.last_order() - lane->order_then;
  }
  return lanes != 0 && receives >= kReceivesOfOthers * lanes;
}

void Directory::give_up_silent(Spares* spares) noexcept {
  const bool means_something = silence_means_something();
  for (const auto& each : all_contexts_) {
    if (!means_something || !each->lock.try_lock()) continue;
    const Locked context(ContextHeld::of(*each));
    give_up(*context, Which::kSilent, spares);
  }
  next_search_ = std::max(kManyLanes, 2 * (all_lanes_.size() - free_lanes_.size()));
}

void Directory::remove_idle(ContextHeld context, Spares* spares) noexcept {
  SpinGuard guard(lock_);
  give_up(context, Which::kIdle, spares);
}

void Directory::remove(ContextHeld context, Spares* spares) noexcept {
  SpinGuard guard(lock_);
  give_up(context, Which::kIdle, spares);
  const BothHeld both = context.with_stock();
  const Locked stock(both.stock());
  if (context->lanes != nullptr || !both.idle()) return;
  unlink(*context);
  both.assign(0, 0, nullptr);
  free_contexts_.push_back(&*context);
}

Lane* Directory::find_exactly(MatchContext context, Peer peer) const noexcept {
  return find(context, peer);  // nothing changes while the lock is held
}

void Directory::link(Lane& lane, MatchContext context, Peer peer) noexcept {
  const Table* table = table_.load(std::memory_order_relaxed);
  std::atomic<Lane*>& slot = table->slot(context, peer);
  lane.chain.store(slot.load(std::memory_order_relaxed), std::memory_order_relaxed);
  slot.store(&lane, std::memory_order_release);  // [R1]
  if (++in_use_ * kSlotsForEach > table->mask + 1) grow();
}

void Directory::unlink(Lane& lane) noexcept {
  const Table* table = table_.load(std::memory_order_relaxed);
  std::atomic<Lane*>* link = &table->slot(lane.id.load(std::memory_order_relaxed),
                                          lane.peer.load(std::memory_order_relaxed));
  while (link->load(std::memory_order_relaxed) != &lane) {
    link = &link->load(std::memory_order_relaxed)->chain;
  }
  // release: a strand that follows this link sees the next lane made.
  link->store(lane.chain.load(std::memory_order_relaxed), std::memory_order_release);
  --in_use_;
}

void Directory::grow() {
  const Table* old = table_.load(std::memory_order_relaxed);
  constexpr std::uint32_t kGrowth = 4;
  const Table& bigger = *tables_.emplace_back(std::make_unique<Table>((old->mask + 1) * kGrowth));
  for (std::uint32_t i = 0; i <= old->mask; ++i) {
    Lane* lane = old->slots[i].load(std::memory_order_relaxed);
    while (lane != nullptr) {
      Lane* rest = lane->chain.load(std::memory_order_relaxed);
      std::atomic<Lane*>& slot = bigger.slot(lane->id.load(std::memory_order_relaxed),
                                             lane->peer.load(std::memory_order_relaxed));
      lane->chain.store(slot.load(std::memory_order_relaxed), std::memory_order_release);
      slot.store(lane, std::memory_order_relaxed);
      lane = rest;
    }
  }
  table_.store(&bigger, std::memory_order_release);  // [R1]
}

}  // namespace heddle::match
