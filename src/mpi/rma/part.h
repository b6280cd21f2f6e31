// part.h — what the members of a window have in common: whose memory is where, and the words by
// which they synchronize.
//
//   Part ─┬─ Member 0, 1, 2 …   base, size, displacement unit; lock; arrivals of posts, completes
//         ├─ posted             a counter for each pair: how often a target has posted to an origin
//         ├─ AllLock            how many strands have locked all
//         └─ segment            the memory of MPI_Win_allocate_shared
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
#include <memory>

#include "base/platform/memory.h"
#include "mpi/rma/awaited.h"
#include "mpi/rma/regions.h"
#include "mpi/rma/target_lock.h"
#include "net/world/shared_part.h"

namespace heddle::rma {

struct alignas(platform::kCacheLine) Member {
  // I1.
  std::byte* base = nullptr;
  MPI_Aint size = 0;
  MPI_Aint unit = 1;
  Regions* regions = nullptr;  // of a dynamic window; then base is null and size the address space
  int failed = MPI_SUCCESS;    // the class of an error of this member while the window was made

  TargetLock lock;
  std::atomic<std::uint32_t> completed{0};  // I3
  Awaited completes;                        // for `completed`
  Awaited posts;                            // for posted(this member, any)
};

class Part final : public world::SharedPart {
 public:
  using Count = std::atomic<std::uint32_t>;

  // Called by the first member that joins, with the size of the window's group.
  explicit Part(int members);
  ~Part() override;

  Member& member(int rank) noexcept { return members_[static_cast<std::size_t>(rank)]; }
  Count& posted(int origin, int target) noexcept {
    return static_cast<Count*>(
        posted_.low)[static_cast<std::size_t>(origin) * size_ + static_cast<std::size_t>(target)];
  }
  AllLock& all() noexcept { return all_; }

  // False: there was no memory for it.
  bool is_whole() const noexcept { return posted_.low != nullptr; }
  // The class of an error that a member had; MPI_SUCCESS if none had one.
  int first_failure() const noexcept;

  // Takes the memory of a shared window, and tells each member its base: adjacent in the order of
  // ranks, or each on a page of its own if `apart`; then a member without bytes has no base. By one
  // member, when all have said their sizes. False: there is no memory.
  bool take_segment(bool apart) noexcept;

 private:
  const std::size_t size_;
  const std::unique_ptr<Member[]> members_;
  const platform::Mapping posted_;  // of counters; pages that are never touched take no memory
  platform::Mapping segment_;
  AllLock all_;
};

}  // namespace heddle::rma
