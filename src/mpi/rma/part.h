// part.h — what the members of a window have in common: whose memory is where, and the words by
// which they synchronize.
//
//   Part ─┬─ Member 0, 1, 2 …   base, size, displacement unit; lock; arrivals of posts, completes
//         ├─ posted             a counter for each pair: how often a target has posted to an origin
//         ├─ AllLock            how many strands have locked all
//         ├─ LateErrors         what accesses from other processes did wrong
//         └─ segment            the memory of MPI_Win_allocate_shared, and of MPI_Win_allocate where
//                               the members are in several processes of a node
//
// The first member that joins makes the part (world::SharedPart). Each writes its own Member, then
// all meet, and then all read all of them. So there is one table a process, however many members.
//
// Invariants
//   I1  base, size, unit and regions of a Member do not change after the window is made.
//   I2  posted(o, t) counts the posts of t that name o, and its origin o counts the starts that
//       name t: a start waits until there are more posts than starts.
//   I3  `completed` of a member counts completes that name it. An origin completes only after it
//       has started, and so after the member has posted: counts of two exposures do not mix.
//
// Thread safety: Members before they meet each its own; afterwards constant, but for what locks or
// counts by itself.

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "base/platform/memory.h"
#include "mpi/rma/awaited.h"
#include "mpi/rma/regions.h"
#include "mpi/rma/stripes.h"
#include "mpi/rma/target_lock.h"
#include "net/world/shared_part.h"

namespace heddle::rma {

struct alignas(platform::kCacheLine) Member {
  // I1.
  std::byte* base = nullptr;
  MPI_Aint size = 0;
  MPI_Aint unit = 1;
  Regions* regions = nullptr;  // of a dynamic window; then base is null
  bool here = true;            // in this process; else only size and unit are known, and the base
                               // of what is mapped
  int failed = MPI_SUCCESS;    // the class of an error of this member while the window was made

  // True if [at, at + bytes) lies in its memory. Requires `here`.
  bool holds(std::uint64_t at, std::uint64_t bytes) const noexcept {
    if (bytes == 0) return true;
    if (regions != nullptr) return regions->has(at, bytes);
    const auto all = static_cast<std::uint64_t>(size);
    return at <= all && bytes <= all - at;
  }

  TargetLock lock;
  std::atomic<std::uint32_t> completed{0};  // I3
  Awaited completes;                        // for `completed`
  Awaited posts;                            // for posted(this member, any)
};

// Errors of accesses from other processes that are not answered, until the origin flushes.
class LateErrors {
 public:
  // The first error of an origin at a target is kept.
  void note(int origin, int target, int error_class);
  // MPI_SUCCESS: there is none. Else it is told now, and forgotten.
  int take(int origin, int target);

 private:
  // Lock: guards the late errors of one window; held across taking memory.
  Mutex lock_;
  std::map<std::pair<int, int>, int> classes_ GUARDED_BY(lock_);  // by origin and target
};

// Names memory that processes of a node share: a descriptor of one of them.
struct SegmentName {
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 0;
  int process = 0, descriptor = -1;
};

class Part final : public world::SharedPart {
 public:
  using Count = std::atomic<std::uint32_t>;

  // Called by the first member that joins. `here`: of the window's group, how many are in this
  // process.
  Part(int members, int here);
  ~Part() override;

  int size() const noexcept { return static_cast<int>(size_); }
  Member& member(int rank) noexcept { return members_[static_cast<std::size_t>(rank)]; }
  Count& posted(int origin, int target) noexcept {
    return static_cast<Count*>(
        posted_.low)[static_cast<std::size_t>(origin) * size_ + static_cast<std::size_t>(target)];
  }
  AllLock& all() noexcept { return all_; }
  LateErrors& late_errors() noexcept { return late_errors_; }
  Stripes stripes() const noexcept { return stripes_; }  // for accumulates at any member

  // False: there was no memory for it.
  bool is_whole() const noexcept { return posted_.low != nullptr; }
  // The class of an error that a member had; MPI_SUCCESS if none had one.
  int first_failure() const noexcept;

  // Takes memory for all members, and gives each its base: adjacent in the order of ranks if
  // `alignment` is 0; else each on a multiple of that, a member without bytes none. By one member,
  // when all have said their sizes. `named`: other processes will map it. A name without bytes:
  // there is no memory.
  SegmentName take_segment(std::size_t alignment, bool named) noexcept;
  // In another process: maps what one of the node has taken. False: it cannot.
  bool map_segment(const SegmentName& name) noexcept;
  // Once all have mapped it.
  void close_segment() noexcept;

 private:
  const std::size_t size_;
  const std::unique_ptr<Member[]> members_;
  const platform::Mapping posted_;  // of counters; pages that are never touched take no memory
  void give_places(std::size_t alignment) noexcept;
  // Takes the memory of this process's members. False: there is none.
  bool take_rooms(int descriptor) const noexcept;

  platform::Mapping segment_;
  Stripes stripes_;
  bool is_all_here_ = true;  // the segment is this process's alone
  int descriptor_ = -1;      // of the segment, until all have mapped it
  AllLock all_;
  LateErrors late_errors_;
};

}  // namespace heddle::rma
