// part.h — what the members of a window have in common: whose memory is where, and the words by
// which they synchronize.
//
//   Part ─┬─ Member 0, 1, 2 …   base, size, displacement unit; what waits for its lock
//         ├─ Words              locks, counts of posts and completes (words.h)
//         ├─ AllQueue           what waits in this process for the end of lock_all epochs
//         ├─ LateErrors         what accesses from other processes did wrong
//         ├─ PendingAccesses    accesses from other processes that wait for locks of members here
//         └─ segment            the memory of MPI_Win_allocate_shared, and of MPI_Win_allocate where
//                               the members are in several processes of a node
//
// The first member that joins makes the part (world::SharedPart). Each writes its own Member, then
// all meet, and then all read all of them. So there is one table a process, however many members.
//
// A segment that several processes map is mapped by all processes of the window, and has the words
// and stripes in front of the memory. Else the words are this process's alone, and what concerns
// members of other processes is asked for by packets.
//
//   segment   stripes | words | up to a page | memory of rank 0, 1, 2 …
//
// Invariants
//   I1  base, size, unit and regions of a Member do not change after the window is made.
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

#include "base/intrusive_list.h"
#include "base/mutex.h"
#include "base/platform/memory.h"
#include "base/spin_lock.h"
#include "mpi/rma/regions.h"
#include "mpi/rma/stripes.h"
#include "mpi/rma/words.h"
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

  LockQueue queue;  // of its lock, if the member is here
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

// An access from another process that waits for the lock of its target (locked_access.h). Its
// origin may unlock while it waits: packets keep their order, but answers take their time. An
// origin has one such access at a target at most that is not unlocked.
class PendingAccesses {
 public:
  struct Access : ListNode<> {
    Access(int its_origin, int its_target) noexcept : origin(its_origin), target(its_target) {}
    const int origin, target;
    bool is_unlocked = false;  // guarded by the list
  };

  void add(Access& access) noexcept {
    const SpinGuard guard(lock_);
    all_.push_back(access);
  }
  // It has the lock. True: its origin wants it no more.
  bool remove(Access& access) noexcept {
    const SpinGuard guard(lock_);
    IntrusiveList<Access>::erase(access);
    return access.is_unlocked;
  }
  // The origin unlocks the target. False: no access of it waits.
  bool unlock(int origin, int target) noexcept {
    const SpinGuard guard(lock_);
    for (Access& access : all_) {
      const bool is_it = access.origin == origin && access.target == target;
      if (is_it && !access.is_unlocked) return access.is_unlocked = true;
    }
    return false;
  }

 private:
  // Lock: guards the accesses that wait for locks of one window; held across a look at each.
  SpinLock lock_;
  IntrusiveList<Access> all_ GUARDED_BY(lock_);
};

// Names memory that processes of a node share: a descriptor of one of them.
struct SegmentName {
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 0;
  int process = 0, descriptor = -1;
};

class Part final : public world::SharedPart {
 public:
  // Called by the first member that joins. `here`: of the window's group, how many are in this
  // process.
  Part(int members, int here);
  ~Part() override;

  int size() const noexcept { return static_cast<int>(size_); }
  Member& member(int rank) noexcept { return members_[static_cast<std::size_t>(rank)]; }
  // True if all members' memory and words are mapped by all processes that they are in.
  bool is_mapped() const noexcept { return is_mapped_; }
  // True if strands of this process synchronize with the member by its words.
  bool reaches(int rank) const noexcept {
    return is_mapped() || members_[static_cast<std::size_t>(rank)].here;
  }
  const Words& words() const noexcept { return words_; }
  TargetLock& lock(int rank) const noexcept { return words_.member(rank).lock; }
  AllLock& all() const noexcept { return words_.all(); }
  AllQueue& all_queue() noexcept { return all_queue_; }
  // The last strand that had locked all has left.
  void all_have_left() noexcept {
    all().end_waits();
    all_queue_.wake();
  }
  // How often a strand looks at a word before it queues itself: where the holder may be in another
  // process, a packet takes longer than most epochs.
  int looks() const noexcept { return is_mapped() ? kLooks : 1; }

  LateErrors& late_errors() noexcept { return late_errors_; }
  PendingAccesses& pending() noexcept { return pending_; }
  Stripes stripes() const noexcept { return stripes_; }  // for accumulates at any member

  // False: there was no memory for it.
  bool is_whole() const noexcept { return own_words_.low != nullptr; }
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
  static constexpr int kLooks = 64;

  const std::size_t size_;
  const std::unique_ptr<Member[]> members_;
  platform::Mapping own_words_;  // pages that are never touched take no memory

  void give_places(std::size_t alignment) noexcept;
  // Takes the memory of this process's members. False: there is none.
  bool take_rooms(int descriptor) const noexcept;
  // The bytes in front of the memory in a segment that several processes map.
  std::size_t front_bytes() const noexcept;

  platform::Mapping segment_;
  Stripes stripes_;
  Words words_;
  bool is_mapped_ = false;  // by several processes
  int descriptor_ = -1;     // of the segment, until all have mapped it
  AllQueue all_queue_;
  LateErrors late_errors_;
  PendingAccesses pending_;
};

}  // namespace heddle::rma
