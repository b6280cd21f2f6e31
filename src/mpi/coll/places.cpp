#include "mpi/coll/places.h"

#include <algorithm>
#include <atomic>

#include "exec/ult/scheduler.h"

namespace heddle::coll {

namespace {

// [0]: of no worker.
std::size_t slot_of(int worker) noexcept {
  return static_cast<std::size_t>(std::max(-1, worker) + 1);
}

}  // namespace

Places::Places(const group::Group& group, const std::vector<int>& ranks) {
  std::vector<int> place_of_worker;
  for (const int rank : ranks) {
    // relaxed: a member that moves meanwhile counts at its old place, as one does that moves later.
    const int worker = std::atomic_ref(group.member(rank).worker).load(std::memory_order_relaxed);
    const std::size_t slot = slot_of(worker);
    if (slot >= place_of_worker.size()) place_of_worker.resize(slot + 1, -1);
    if (place_of_worker[slot] < 0) {
      place_of_worker[slot] = static_cast<int>(members_at_.size());
      members_at_.push_back(0);
      if (worker >= 0) workers_.push_back(worker);
      cores_.push_back(ult::core_of(std::max(worker, 0)));
    }
    const int place = place_of_worker[slot];
    ++members_at_[static_cast<std::size_t>(place)];
    entries_.push_back({place, worker});
  }
}

}  // namespace heddle::coll
