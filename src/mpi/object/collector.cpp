#include "mpi/object/collector.h"

#include <algorithm>
#include <utility>

#include "base/platform/clock.h"
#include "mpi/object/lifetimes.h"

namespace heddle::object {

[[gnu::init_priority(200)]] const RankLocal<Lifetimes> lifetimes_of_rank;  // first made, last gone

void Collector::drop(const Managed& object) noexcept {
  SpinGuard guard(lock_);
  // Asked before: a cycle does not need the lock to end an object that is known to it.
  const bool known = object.eligible_;
  // acq_rel: a cycle that finds the count 1 sees all that was done to the object.
  if (object.references().fetch_sub(1, std::memory_order_acq_rel) != 2 || known) return;
  object.eligible_ = true;
  object.next_ = std::exchange(eligible_, &object);
  eligible_count_.fetch_add(1, std::memory_order_relaxed);
  fresh_.fetch_add(1, std::memory_order_relaxed);
}

void Collector::collect() noexcept {
  if (eligible_count_.load(std::memory_order_relaxed) == 0) return;
  if (collecting_.exchange(true, std::memory_order_acquire)) return;
  const std::int64_t start = platform::now_ns();
  const std::uint64_t cycle = cycle_.fetch_add(1, std::memory_order_acq_rel) + 1;  // [A1]
  const Managed* const taken = take_eligible();
  const Scan scan = mark(cycle);
  const std::size_t kept = reclaim(taken, cycle);
  due_at_.store(std::max(kLeastDue, (scan.looks + kept) / kLooksPerFree),
                std::memory_order_relaxed);
  transients_marked_.store(scan.references, std::memory_order_relaxed);
  nanoseconds_.fetch_add(static_cast<std::uint64_t>(platform::now_ns() - start),
                         std::memory_order_relaxed);
  collecting_.store(false, std::memory_order_release);
}

void Collector::finish() noexcept {
  std::uint64_t before;
  do {
    before = reclaimed_.load(std::memory_order_relaxed);
    collect();
  } while (reclaimed_.load(std::memory_order_relaxed) != before);
}

const Managed* Collector::take_eligible() noexcept {
  SpinGuard guard(lock_);
  fresh_.store(0, std::memory_order_relaxed);
  return std::exchange(eligible_, nullptr);
}

Collector::Scan Collector::mark(std::uint64_t cycle) noexcept {
  Scan scan;
  pool_.tidy();
  scan.looks = pool_.for_each([&](const Transient& transient) {
    schedule_point();
    bool refers = false;
    for (int i = 0; i < Transient::kReferences; ++i) {
      const Managed* object = transient.get(i);
      if (object == nullptr) continue;
      refers = true;
      if (object->collector_ == this) object->marked_in_ = cycle;
    }
    scan.references += refers;
  });
  return scan;
}

bool Collector::may_end(const Managed& object, std::uint64_t cycle,
                        bool taken_at_start) const noexcept {
  if (object.marked_in_ == cycle) return false;
  // acquire: pairs with the releases of all who held a reference.
  if (object.references().load(std::memory_order_acquire) != 1) return false;
  const std::uint64_t orphaned_in = object.orphaned_in_.load(std::memory_order_relaxed);
  if (orphaned_in == Managed::kNever) return taken_at_start;  // it had no handle, ever
  return orphaned_in < cycle && (taken_at_start || object.handle() == 0);
}

std::size_t Collector::reclaim(const Managed* taken, std::uint64_t cycle) noexcept {
  const Managed *first_kept = nullptr, *last_kept = nullptr;
  std::size_t kept = 0;
  for (bool at_start = true; taken != nullptr; at_start = false, taken = take_eligible()) {
    while (taken != nullptr) {
      const Managed* const object = std::exchange(taken, taken->next_);
      if (may_end(*object, cycle, at_start)) {
        schedule_point();
        object->destroy();
        eligible_count_.fetch_sub(1, std::memory_order_relaxed);
        reclaimed_.fetch_add(1, std::memory_order_relaxed);
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

void Collector::put_back(const Managed* first, const Managed* last) noexcept {
  SpinGuard guard(lock_);
  last->next_ = std::exchange(eligible_, first);
}

Collector::Counters Collector::counters() const noexcept {
  // relaxed: each figure by itself.
  return {cycle_.load(std::memory_order_relaxed), nanoseconds_.load(std::memory_order_relaxed),
          reclaimed_.load(std::memory_order_relaxed),
          eligible_count_.load(std::memory_order_relaxed),
          transients_marked_.load(std::memory_order_relaxed)};
}

void collect() noexcept {
  if (policy == Policy::kCollector) lifetimes().collector.collect();
}

}  // namespace heddle::object
