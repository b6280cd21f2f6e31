// resident.h — a rank of this host, which other ranks may move to another worker
// (MPIX_Rank_migrate).
//
//   move(w) ──► Process::worker = w  host groups that are made from now on, helpers at their next
//           │                        task
//           ├─► the main strand      at its next turn (exec/ult/move.h)
//           ├─► threads of the rank  each at its next turn; those to come are spread from w on
//           └─► its pages            after it, if w is on another NUMA node
//                                    (exec/heap/following_pages.h)
//
// A host group that exists keeps its places: a member that comes from another worker is counted at
// its old place, and waits in that worker's list, or outside if the event has none for it
// (exec/ult/event.h). It is right there, and slower.
//
// Invariants
//   I1  `main_` is set exactly while the rank's main strand lives and has not begun to end.
//   I2  Of several moves at once the last one counts for all strands: they are told under the lock.
//
// Thread safety: any strand; begin and end by the rank's main strand.

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/spin_lock.h"
#include "exec/heap/following_pages.h"
#include "exec/process/time/load.h"
#include "exec/rank/rank.h"
#include "exec/ult/ult.h"
#include "net/world/process.h"

namespace heddle::runtime {

class Resident {
 public:
  // The calling strand is the rank's main one, and knows its process.
  void begin(Rank& rank) noexcept;
  // Nothing moves it from here on.
  void end() noexcept;

  // Returns at once. Nothing happens to a rank that has not begun or has ended. Never switches. The
  // caller tells the rank's pages to follow; nullptr: there is one NUMA node.
  std::shared_ptr<heap::FollowingPages> move(int worker) noexcept;

  // What it has loaded its workers with, in nanoseconds (exec/process/time/load.h), and the worker
  // where it is; -1: it has not begun, or has ended.
  struct Weight {
    std::int64_t spent_ns = 0;
    int worker = -1;
  };
  Weight weight() noexcept;
  // The part of it that each worker has spent; 0 for one that has ended. `out`: one for each
  // worker.
  void weight_by_worker(std::span<std::int64_t> out) noexcept;

 private:
  // Lock: guards the main strand of one rank, which does not end while it is held; held across the
  // lock of the rank's `Threads`, and telling its strands to move.
  SpinLock lock_;
  ult::Ult* main_ GUARDED_BY(lock_) = nullptr;
  Rank* rank_ GUARDED_BY(lock_) = nullptr;
  world::Process* process_ GUARDED_BY(lock_) = nullptr;
  process::Load* load_ GUARDED_BY(lock_) = nullptr;
  std::int64_t spent_ns_ GUARDED_BY(lock_) = 0;  // all, when it has ended
};

// Moves the rank together with the pages of its heap. Any thread; returns at once.
void move_with_pages(Resident& resident, int worker) noexcept;

}  // namespace heddle::runtime
