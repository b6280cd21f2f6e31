// held_ranges.h — which bytes of a file one rank has locked by fcntl, as POSIX.1 defines it: a new
// lock replaces what the rank had there, and an unlock may leave two pieces of one lock.
//
//   I1  The ranges_ do not overlap.
//
// Thread safety: none.

#pragma once

#include <sys/types.h>

#include <limits>
#include <vector>

namespace heddle::process {

struct ByteRange {
  off_t first = 0;
  off_t last = std::numeric_limits<off_t>::max();  // the largest number: to the end, wherever it is

  bool overlaps(const ByteRange& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
};

class HeldRanges {
 public:
  void unlock(const ByteRange& range);
  void lock(const ByteRange& range, bool for_writing) {
    unlock(range);
    ranges_.push_back({range, for_writing});
  }

  // True if another rank's lock there would have to wait.
  bool conflicts(const ByteRange& range, bool for_writing) const noexcept;

  bool empty() const noexcept { return ranges_.empty(); }

 private:
  struct Held {
    ByteRange range;
    bool for_writing;
  };
  std::vector<Held> ranges_;
};

}  // namespace heddle::process
