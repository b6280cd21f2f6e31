// words.h — the words by which the members of a window synchronize, as they lie in memory: in that
// of a process, or in a segment that all processes of the window map (part.h).
//
//   AllLock | MemberWords of rank 0, 1, 2 … | posts of rank 0: to origin 0, 1, 2 … | of rank 1 …
//
// All bytes are 0 at first. Atomic operations alone change them, so processes may map them at
// different addresses. An Awaited points into the process of its member: only that one follows the
// pointer, others look whether there is one (mapped.h).
//
// Invariants
//   I1  posted(o, t) counts the posts of t that name o, and its origin o counts the starts that
//       name t: a start waits until there are more posts than starts.
//   I2  `completed` of a member counts completes that name it. An origin completes only after it
//       has started, and so after the member has posted: counts of two exposures do not mix.
//
// Thread safety: any strand.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform/cpu.h"
#include "mpi/rma/awaited.h"
#include "mpi/rma/target_lock.h"

namespace heddle::rma {

struct alignas(platform::kCacheLine) MemberWords {
  TargetLock lock;
  std::atomic<std::uint32_t> completed;  // I2
  Awaited completes;                     // for `completed`
  Awaited posts;                         // for posted(this member, any)
};

class Words {
 public:
  using Count = std::atomic<std::uint32_t>;

  Words() = default;
  // In `bytes(members)` bytes from `low` on, a multiple of a cache line.
  Words(void* low, std::size_t members) noexcept
      : all_(static_cast<AllLock*>(low)),
        members_(reinterpret_cast<MemberWords*>(all_ + 1)),
        posted_(reinterpret_cast<Count*>(members_ + members)),
        size_(members) {}

  static std::size_t bytes(std::size_t members) noexcept {
    return sizeof(AllLock) + members * sizeof(MemberWords) + members * members * sizeof(Count);
  }

  AllLock& all() const noexcept { return *all_; }
  MemberWords& member(int rank) const noexcept { return members_[static_cast<std::size_t>(rank)]; }
  Count& posted(int origin, int target) const noexcept {
    return posted_[static_cast<std::size_t>(origin) * size_ + static_cast<std::size_t>(target)];
  }

 private:
  AllLock* all_ = nullptr;
  MemberWords* members_ = nullptr;
  Count* posted_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace heddle::rma
