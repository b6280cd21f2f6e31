#include "mpi/object/managed.h"

#include <cassert>

#include "mpi/object/lifetimes.h"

namespace heddle::object {

namespace {

// What the calling strand has to destroy after what it is destroying.
thread_local constinit const Managed* dying = nullptr;
thread_local constinit bool destroying = false;

// Objects that are made outside of every rank, by tests, are only counted.
Collector* collector_for(bool predefined) noexcept {
  if (predefined || policy != Policy::kCollector || Rank::current() == nullptr) return nullptr;
  return &lifetimes().collector;
}

}  // namespace

Managed::Managed(Kind kind, Lifetime lifetime) noexcept
    : Managed(kind, lifetime, collector_for(lifetime == Lifetime::kPredefined)) {}

Managed::Managed(Kind kind, Lifetime lifetime, Collector* collector) noexcept
    : Object(kind, lifetime, collector != nullptr || policy == Policy::kNone ? 2 : 1,
             collector != nullptr),
      collector_(collector) {
  if (collector != nullptr) collector->collect_if_due();
}

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
  orphaned_in_.store(collector_->last_cycle(), std::memory_order_relaxed);
}

void Managed::release_collected() const noexcept {
  int seen = references().load(std::memory_order_relaxed);
  while (seen > 2) {
    // release: pairs with the acquire in Collector::reclaim.
    if (references().compare_exchange_weak(seen, seen - 1, std::memory_order_release,
                                           std::memory_order_relaxed)) {
      return;
    }
  }
  collector_->drop(*this);
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

}  // namespace heddle::object
