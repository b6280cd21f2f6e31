#include "mpi/match/directory.h"

#include <cassert>
#include <utility>

namespace heddle::match {

namespace {

constexpr std::uint32_t kFirstSlots = 16;
constexpr std::uint32_t kSlotsForEach = 2;  // at least

// One that is not in use, or a new one.
template <class T>
T& take(std::vector<T*>& free, std::vector<std::unique_ptr<T>>& all) {
  if (free.empty()) return *all.emplace_back(std::make_unique<T>());
  T* taken = free.back();
  free.pop_back();
  return *taken;
}

}  // namespace

Directory::Directory(TagShares shares, Postman* postman) : shares_(shares), postman_(postman) {
  table_.store(tables_.emplace_back(std::make_unique<Table>(kFirstSlots)).get(),
               std::memory_order_release);
}

Directory::~Directory() {
  for (auto& scope : all_scopes_) scope->news.take_all();
}

std::vector<Lane*> Directory::all() {
  SpinGuard guard(lock_);
  std::vector<Lane*> lanes;
  lanes.reserve(all_lanes_.size() + all_scopes_.size());
  for (auto& lane : all_lanes_) lanes.push_back(lane.get());
  for (auto& scope : all_scopes_) lanes.push_back(scope.get());
  return lanes;
}

Lane& Directory::make(ScopeId scope, Peer peer) {
  SpinGuard guard(lock_);
  if (Lane* present = find_exactly(scope, peer)) return *present;
  Scope& its_scope = scope_of(scope);
  if (peer == kAnyPeer) return its_scope;
  const bool has_siblings = announce_sibling(scope, peer);
  Lane& lane = take(free_lanes_, all_lanes_);
  {
    const Locked held(BothHeld::lock(lane));
    held->assign(scope, peer, &its_scope);
    lane.has_siblings.store(has_siblings, std::memory_order_relaxed);
  }
  lane.next_of_scope = std::exchange(its_scope.lanes, &lane);
  link(lane, scope, peer);
  return lane;
}

bool Directory::announce_sibling(ScopeId scope, Peer peer) noexcept {
  for (std::uint32_t share = 0; share < shares_.count(); ++share) {
    Lane* sibling = find_exactly(scope, TagShares::with_share(peer, share));
    if (sibling == nullptr) continue;
    // It has been alone, or all have been told.
    const Locked held(LaneHeld::lock(*sibling));
    sibling->has_siblings.store(true, std::memory_order_relaxed);
    return true;
  }
  return false;
}

Scope& Directory::scope_of(ScopeId id) {
  if (Lane* present = find_exactly(id, kAnyPeer)) return static_cast<Scope&>(*present);
  Scope& scope = take(free_scopes_, all_scopes_);
  Locked(BothHeld::lock(scope))->assign(id, kAnyPeer, &scope);
  scope.postman = postman_;
  link(scope, id, kAnyPeer);
  return scope;
}

void Directory::remove(ScopeHeld scope) noexcept {
  SpinGuard guard(lock_);
  for (Lane** place = &scope->lanes; *place != nullptr;) {
    Lane& lane = **place;
    const LaneHeld alone = LaneHeld::lock(lane);
    alone.close_mailbox();
    const Locked held(alone.with_stock());
    assert(held->is_valid());
    if (!held->idle()) {
      place = &lane.next_of_scope;
      continue;
    }
    if (lane.listed) {  // in the news, until now perhaps, or busy
      scope.take_news();
      ScopeHeld::unlist(*held);
    }
    assert(!lane.listed);
    *place = lane.next_of_scope;
    unlink(lane);
    held->assign(0, 0, nullptr);
    free_lanes_.push_back(&lane);
  }
  const BothHeld both = scope.with_stock();
  const Locked stock(both.stock());
  if (scope->lanes != nullptr || !both.idle()) return;
  unlink(*scope);
  both.assign(0, 0, nullptr);
  free_scopes_.push_back(&*scope);
}

Lane* Directory::find_exactly(ScopeId scope, Peer peer) const noexcept {
  return find(scope, peer);  // nothing changes while the lock is held
}

void Directory::link(Lane& lane, ScopeId scope, Peer peer) noexcept {
  const Table* table = table_.load(std::memory_order_relaxed);
  std::atomic<Lane*>& slot = table->slot(scope, peer);
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
