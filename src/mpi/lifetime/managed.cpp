#include "mpi/lifetime/managed.h"

#include <cassert>
#include <utility>

#include "base/schedule_point.h"
#include "exec/rank/rank.h"

namespace heddle::lifetime {

namespace {

// The first of all RankLocals, so destroyed last: objects of other RankLocals become eligible.
[[gnu::init_priority(200)]] const RankLocal<Eligible> eligible_of_rank;

// What the calling strand has to destroy after what it is destroying.
thread_local constinit const Managed* dying = nullptr;
thread_local constinit bool destroying = false;

// Objects that are made outside of every rank, by tests, are only counted.
Eligible* eligible_for(bool predefined) noexcept {
  if (predefined || policy != Policy::kCollector || Rank::current() == nullptr) return nullptr;
  return &Eligible::of_rank();
}

}  // namespace

Managed::Managed(object::Kind kind, Lifetime lifetime) noexcept
    : Managed(kind, lifetime, eligible_for(lifetime == Lifetime::kPredefined)) {}

Managed::Managed(object::Kind kind, Lifetime lifetime, Eligible* eligible) noexcept
    : Object(kind, lifetime, eligible != nullptr || policy == Policy::kNone ? 2 : 1,
             eligible != nullptr),
      eligible_(eligible) {}

void Managed::count_transient() const noexcept {
  if (policy == Policy::kPredefined && predefined()) return;
  // relaxed: the strand that begins an operation holds a reference.
  references().fetch_add(1, std::memory_order_relaxed);
}

void Managed::discount_transient() const noexcept {
  if (lifetime() == Lifetime::kPredefined) {
    // relaxed: it is never destroyed.
    if (policy == Policy::kAtomic) references().fetch_sub(1, std::memory_order_relaxed);
  } else if (policy == Policy::kAtomic || !predefined()) {
    release();
  }
}

void Managed::note_orphaned() const noexcept {
  orphaned_in_.store(eligible_->last_cycle(), std::memory_order_relaxed);
}

void Managed::release_collected() const noexcept {
  int seen = references().load(std::memory_order_relaxed);
  while (seen > 2) {
    // release: pairs with the acquire in Eligible::may_end.
    if (references().compare_exchange_weak(seen, seen - 1, std::memory_order_release,
                                           std::memory_order_relaxed)) {
      return;
    }
  }
  eligible_->drop(*this);
}

void Managed::destroy_in_turn() const noexcept {
  next_ = dying;
  dying = this;
  if (destroying) return;
  destroying = true;
  while (dying != nullptr) {
    const Managed* object = dying;
    dying = object->next_;
    delete object;
  }
  destroying = false;
}

Eligible& Eligible::of_rank() noexcept {
  return eligible_of_rank.get();
}

void Eligible::drop(const Managed& object) noexcept {
  SpinGuard guard(lock_);
  // Asked before: a cycle does not need the lock to end an object that is known to it.
  const bool known = object.listed_;
  // acq_rel: a cycle that finds the count 1 sees all that was done to the object.
  if (object.references().fetch_sub(1, std::memory_order_acq_rel) != 2 || known) return;
  object.listed_ = true;
  object.next_ = std::exchange(first_, &object);
  count_.fetch_add(1, std::memory_order_relaxed);
  fresh_.fetch_add(1, std::memory_order_relaxed);
}

void Eligible::begin_cycle() noexcept {
  assert(is_valid());
  cycle_.fetch_add(1, std::memory_order_acq_rel);  // [A1]
  taken_ = take();
}

void Eligible::mark(const Managed& object) noexcept {
  // relaxed: only cycles write it, and this is one.
  if (object.eligible_ == this) object.marked_in_ = cycle_.load(std::memory_order_relaxed);
}

std::size_t Eligible::end_unmarked() noexcept {
  const Managed *first_kept = nullptr, *last_kept = nullptr;
  std::size_t kept = 0;
  const Managed* next = std::exchange(taken_, nullptr);
  for (bool at_start = true; next != nullptr; at_start = false, next = take()) {
    while (next != nullptr) {
      const Managed* const object = std::exchange(next, next->next_);
      if (may_end(*object, at_start)) {
        schedule_point();
        object->destroy();
        count_.fetch_sub(1, std::memory_order_relaxed);
        ended_.fetch_add(1, std::memory_order_relaxed);
      } else {
        object->next_ = std::exchange(first_kept, object);
        if (last_kept == nullptr) last_kept = object;
        ++kept;
      }
    }
  }
  if (first_kept != nullptr) put_back(first_kept, last_kept);
  return kept;
}

bool Eligible::may_end(const Managed& object, bool taken_at_start) const noexcept {
  const std::uint64_t cycle = cycle_.load(std::memory_order_relaxed);  // only cycles write it
  if (object.marked_in_ == cycle) return false;
  // acquire: pairs with the releases of all strands that held a reference.
  if (object.references().load(std::memory_order_acquire) != 1) return false;
  const std::uint64_t orphaned_in = object.orphaned_in_.load(std::memory_order_relaxed);
  if (orphaned_in == Managed::kNever) return taken_at_start;  // it had no handle, ever
  return orphaned_in < cycle && (taken_at_start || object.handle() == 0);
}

const Managed* Eligible::take() noexcept {
  SpinGuard guard(lock_);
  fresh_.store(0, std::memory_order_relaxed);
  return std::exchange(first_, nullptr);
}

void Eligible::put_back(const Managed* first, const Managed* last) noexcept {
  SpinGuard guard(lock_);
  last->next_ = std::exchange(first_, first);
}

bool Eligible::is_valid() const noexcept {
  SpinGuard guard(lock_);
  std::size_t in_list = 0;
  for (const Managed* object = first_; object != nullptr; object = object->next_) {
    if (!object->listed_ || object->eligible_ != this || ++in_list > count()) return false;
    if (object->references().load(std::memory_order_relaxed) < 1) return false;
  }
  return fresh() <= in_list;
}

}  // namespace heddle::lifetime
