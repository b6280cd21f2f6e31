#include "mpi/lifetime/collector.h"

#include <algorithm>

#include "base/platform/clock.h"
#include "base/schedule_point.h"
#include "base/settings.h"
#include "exec/rank/rank.h"

namespace heddle::lifetime {

const std::size_t least_due = static_cast<std::size_t>(settings::value(settings::Id::kLeastCycle));

namespace {
// Destroyed after all other RankLocals, and before those that it uses (managed.cpp,
// transient_pool.cpp).
[[gnu::init_priority(202)]] const RankLocal<Collector> collector_of_rank;
}  // namespace

Collector& Collector::of_rank() noexcept {
  return collector_of_rank.get();
}

void Collector::collect() noexcept {
  if (eligible_.count() == 0) return;
  if (collecting_.exchange(true, std::memory_order_acquire)) return;
  const std::int64_t start = platform::now_ns();
  eligible_.begin_cycle();
  const Scan scan = mark();
  const std::size_t kept = eligible_.end_unmarked();
  due_at_.store(std::max(least_due, (scan.looks + kept) / kLooksPerFree),
                std::memory_order_relaxed);
  transients_marked_.store(scan.references, std::memory_order_relaxed);
  nanoseconds_.fetch_add(static_cast<std::uint64_t>(platform::now_ns() - start),
                         std::memory_order_relaxed);
  collecting_.store(false, std::memory_order_release);
}

void Collector::finish() noexcept {
  std::uint64_t before;
  do {
    before = eligible_.ended();
    collect();
  } while (eligible_.ended() != before);
}

Collector::Scan Collector::mark() noexcept {
  Scan scan;
  pool_.tidy();
  scan.looks = pool_.for_each([&](const Transient& transient) {
    schedule_point();
    bool refers = false;
    for (int i = 0; i < Transient::kReferences; ++i) {
      const Managed* object = transient.get(i);
      if (object == nullptr) continue;
      refers = true;
      eligible_.mark(*object);
    }
    scan.references += refers;
  });
  return scan;
}

Collector::Counters Collector::counters() const noexcept {
  // relaxed: each figure by itself.
  return {eligible_.cycles(), nanoseconds_.load(std::memory_order_relaxed), eligible_.ended(),
          eligible_.count(), transients_marked_.load(std::memory_order_relaxed)};
}

void collect() noexcept {
  if (policy == Policy::kCollector) Collector::of_rank().collect();
}

}  // namespace heddle::lifetime
