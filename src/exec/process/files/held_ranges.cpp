#include "exec/process/files/held_ranges.h"

#include <algorithm>
#include <utility>

namespace heddle::process {

void HeldRanges::unlock(const ByteRange& range) {
  std::vector<Held> left;
  for (const Held& held : ranges_) {
    if (!held.range.overlaps(range)) {
      left.push_back(held);
      continue;
    }
    if (held.range.first < range.first) {
      left.push_back({{held.range.first, range.first - 1}, held.for_writing});
    }
    if (held.range.last > range.last) {
      left.push_back({{range.last + 1, held.range.last}, held.for_writing});
    }
  }
  ranges_ = std::move(left);
}

bool HeldRanges::conflicts(const ByteRange& range, bool for_writing) const noexcept {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Held& held) {
    return held.range.overlaps(range) && (held.for_writing || for_writing);
  });
}

}  // namespace heddle::process
