// collector.h — ends a rank's objects that are not referred to any more, without counting what
// pending operations refer to.
//
//   Ge   the eligible objects: their count has fallen to 1, the collector's own reference
//   T    the Transients of the rank: what its pending operations refer to
//
// A cycle:
//
//   1  cycle_ + 1, and takes Ge as it is
//   2  marks what T refers to
//   3  destroys what it took and finds unmarked, with the count still 1, unless it has lost a
//      handle since step 1: one that was lent to a callback, which may have begun operations by it
//   4  the same for what has become eligible by step 3 (a datatype's parts), if the program had
//      freed it before step 1, so that its Transients have all been scanned
//   5  puts the rest back
//
// Steps 1 and 3 to 5 are those of Eligible (managed.h), step 2 goes through the TransientPool.
//
// Cost: O(|Ge| + |T|), with |T| as it is today; nothing while Ge is empty. A cycle looks at whole
// chunks of 128 Transients of which one at least is in use, or in the cache of another strand
// (transient_pool.h). It sorts what has been given back since the last cycle, once; the operations
// have paid for that. No thread waits for a cycle: others go on sending, freeing and making
// objects, and a strand that finds one running starts none.
//
// Why nothing is missed. A Transient refers to an object that is in a strand's hands (Transient,
// I1), and when it is eligible all of these hands have let go. What was referred to before that
// happens before the object enters Ge, hence before step 1. A Transient made by an operation that
// has one itself (a nonblocking collective's messages) is cleared before the outer one, which is
// found instead. A strand that makes a Ref out of a Transient counts it before it clears the
// Transient. So a scan that finds the Transient cleared also sees that count. models/collector.pml
// checks it in every schedule.
//
// A chunk that is not looked at has been empty since before step 1 or was taken later, so what
// refers in it is later than step 1, too, and not what a cycle may miss.
//
// When a cycle is due: when as many objects became eligible as pays for it. A cycle looks at T and
// at what stays in Ge; each freed object pays for kLooksPerFree of these looks, so that the cost of
// all cycles stays a fixed share of that of making and freeing objects, whatever T is, and what
// waits in Ge stays within a fixed ratio of T.
//
// Thread safety: any strand of the rank; cycles exclude each other by collecting_.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mpi/lifetime/managed.h"
#include "mpi/lifetime/transient_pool.h"

namespace heddle::lifetime {

// How many eligible objects make a cycle due at least: HEDDLE_LEAST_CYCLE.
extern const std::size_t least_due;

// Belongs to the rank in which it is made.
class Collector {
 public:
  Collector() noexcept : eligible_(Eligible::of_rank()), pool_(TransientPool::of_rank()) {}
  Collector(Collector&&) = delete;

  // The calling rank's. Requires Rank::current().
  static Collector& of_rank() noexcept;

  // Runs a cycle, unless Ge is empty or another strand is at it.
  void collect() noexcept;

  void collect_if_due() noexcept {
    // relaxed: an early or late look costs only a little memory or time.
    if (eligible_.fresh() >= due_at_.load(std::memory_order_relaxed)) [[unlikely]]
      collect();
  }

  // Ends all that no operation refers to.
  void finish() noexcept;
  void end_with_rank() noexcept { finish(); }

  struct Counters {
    std::uint64_t cycles;
    std::uint64_t nanoseconds;        // in cycles
    std::uint64_t reclaimed;          // objects
    std::uint64_t eligible;           // |Ge| now
    std::uint64_t transients_marked;  // |T| in the last cycle
  };
  Counters counters() const noexcept;

  static constexpr std::size_t kLooksPerFree = 8;

 private:
  struct Scan {
    std::size_t looks = 0;       // at Transients
    std::size_t references = 0;  // Transients that referred to something
  };
  Scan mark() noexcept;

  Eligible& eligible_;
  TransientPool& pool_;

  std::atomic<bool> collecting_{false};  // one cycle at a time
  std::atomic<std::size_t> due_at_{least_due};

  // Written by cycles.
  std::atomic<std::uint64_t> nanoseconds_{0};
  std::atomic<std::uint64_t> transients_marked_{0};
};

// Runs a cycle of the calling rank, if its policy has any.
void collect() noexcept;

}  // namespace heddle::lifetime
