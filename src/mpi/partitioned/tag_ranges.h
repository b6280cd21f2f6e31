// tag_ranges.h — which tags the partitions of a rank's sends have on their way to another host: a
// range of negative ones for each request, free again with it.
//
// Thread safety: any strand of the rank.

#pragma once

#include <climits>
#include <cstdint>
#include <map>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"

namespace heddle::partitioned {

class TagRanges {
 public:
  // The first of so many tags; 0: there are not so many in a row. `count`: at least one.
  int take(int count) noexcept;
  void give_back(int first) noexcept;

 private:
  static constexpr std::int64_t kFirst = INT_MIN, kEnd = -1000;  // wildcards are above

  // Lock: guards the tags that a rank's partitioned sends have; never a switch.
  SpinLock lock_;
  std::int64_t next_ GUARDED_BY(lock_) = kFirst;
  std::map<std::int64_t, std::int64_t> taken_ GUARDED_BY(lock_);  // from the first tag to the end
};

extern const RankLocal<TagRanges> tag_ranges_of_rank;

}  // namespace heddle::partitioned
