// event.h — something that happens in one phase after the other, and for which many strands wait;
// all go on at once.
//
// An event happens for phase 1, then 2, 3 and so on. A ult that comes before its phase, and whose
// worker has nothing else to run, spins: it looks at a word. The others freeze: the ults of a
// worker in a list of that worker, which needs no lock because only one of them runs at a time. To
// set the event costs one exchange for each worker, however many ults wait: each list is spliced
// into its worker's run queue as a whole. Other workers get their lists through their inboxes.
//
//   event   waiters of worker 0   [word | ult ─► ult ─► ult]
//           waiters of worker 1   [word | ]                      none has come yet
//           outside               lock, kernel threads and ults of other workers
//
// The whole state of a worker's waiters, apart from their list, is one word:
//
//   from         to           who                      by
//   -----------  -----------  -----------------------  ---------------------------------
//   set for s    awaited, s   the first that freezes   wait for a phase t > s        [R1]
//   set for s    set for t    the setter               set(t)                       [R2]
//   awaited, s   set for t    the setter               set(t), which thaws     [R2] [A1]
//
// All words are set for the same phases. What waits outside looks at the first one.
//
// Invariants
//   I1  All strands that wait at the same time wait for the same phase, the next one that is set.
//   I2  Between the word becoming `awaited` and the ult being in the list its worker does not
//       switch. So when the worker looks at the list, here or in its inbox, all are in it that
//       answer no alert.
//   I3  A list is in its worker's inbox only while a ult waits in it; an event lives while a strand
//       waits.
//   I4  An alert (alert.h) takes a ult out of the list while it answers. Then the ult joins the
//       list again, unless the list was thawed meanwhile. So a list that was set in between has
//       left the inbox before the ult goes on.
//
// Memory order
//   [R2] release, pairs with [A2] acquire in wait: a strand that passes sees what was written
//   before set().
//   [R1] release, pairs with [A1] acquire: the setter may hand the list over.
//   A ult that freezes sees what was written before set() by the worker's inbox, or by running on
//   the setter's worker.
//   seq_cst orders the first word and `any_outside_`: the setter writes one and reads the other, a
//   strand that waits outside the other way round. So one of them sees the other.
//
// Thread safety: wait and set from any strand; set by one strand at a time.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"

namespace heddle::ult {

class Event {
 public:
  using Phase = std::uint64_t;

  // Ults of `workers` spin or freeze; all other strands wait in a slower list. The event is set for
  // phase 0.
  explicit Event(std::span<const int> workers);
  ~Event();
  Event(Event&&) = delete;

  // Returns when the event is set for `phase` or a later one; answers alerts meanwhile. Requires
  // that all waits for earlier phases have returned: a ult that was let through and has not run yet
  // may still be in the list that this one would join. May switch.
  void wait(Phase phase) noexcept;

  // Returns true if it is set for `phase`, or gets so while the caller's worker has nothing else to
  // run; never for long.
  bool spin(Phase phase) const noexcept;

  // True if wait(phase) would return at once, and then what was written before set() is seen.
  bool is_set(Phase phase) noexcept;

  // Requires a later phase than the last, and that the event lives until set() returns. Never
  // blocks.
  void set(Phase phase) noexcept;

  // True if all words are set for the same phase, the last one, and where a strand of the caller's
  // worker waits its list says so (I1, I2). For the strand that sets, before it does.
  bool is_valid() noexcept;

 private:
  struct Waiters;
  struct Outsider;

  Waiters* waiters_of_caller() const noexcept;
  static bool spin_among(const Waiters& waiters, Phase phase) noexcept;
  static void freeze_among(Waiters& waiters, Phase phase) noexcept;
  static void set_for(Waiters& waiters, Phase phase, bool is_own) noexcept;
  void wait_outside(Phase phase) noexcept;
  void set_outside(Phase phase) noexcept;

  // Constant.
  std::vector<int> place_of_worker_;  // -1: none
  std::size_t places_;                // one at least, perhaps of no worker
  std::unique_ptr<Waiters[]> waiters_;

  std::atomic<bool> any_outside_{false};  // written with the lock
  // Lock: guards kernel threads, and ults of other workers, that wait for an event.
  SpinLock lock_;
  IntrusiveList<Outsider> outside_;
};

}  // namespace heddle::ult
