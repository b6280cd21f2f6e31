#include "mpi/partitioned/tag_ranges.h"

#include <iterator>

namespace heddle::partitioned {

const RankLocal<TagRanges> tag_ranges_of_rank;

// Looks behind the range that was given last, so that a range comes again late; goes around once at
// most.
int TagRanges::take(int count) noexcept {
  const SpinGuard guard(lock_);
  bool wrapped = false;
  std::int64_t first = next_;
  for (;;) {
    if (first + count > kEnd) {
      if (wrapped) return 0;
      wrapped = true;
      first = kFirst;
    }
    // The first range that ends behind `first`.
    auto other = taken_.upper_bound(first);
    if (other != taken_.begin() && std::prev(other)->second > first) --other;
    if (other == taken_.end() || other->first >= first + count) break;
    first = other->second;
  }
  taken_.emplace(first, first + count);
  next_ = first + count;
  return static_cast<int>(first);
}

void TagRanges::give_back(int first) noexcept {
  const SpinGuard guard(lock_);
  taken_.erase(first);
}

}  // namespace heddle::partitioned
