// gate.h — where many strands wait for one event, and go on all at once.
//
// A gate opens for one turn after another: 1, 2, 3 and so on. A ult that comes before its turn, and
// whose worker has nothing else to run, spins: it looks at a word. The others freeze: the ults of a
// worker in a list of that worker, which needs no lock because only one of them runs at a time.
// Opening the gate costs one exchange for each worker, however many ults wait: each list is spliced
// into its worker's run queue as a whole. Other workers get their lists through their inboxes.
//
//   gate   door of worker 0   [word | ult ─► ult ─► ult]
//          door of worker 1   [word | ]                      none has come yet
//          outside            lock, kernel threads and ults of other workers
//
// A door's whole state, apart from its list, is one word:
//
//   from           to             who                      by
//   -------------  -------------  -----------------------  ---------------------------------
//   open for s     awaited, s     the first that freezes   wait for a turn t > s        [R1]
//   open for s     open for t     the opener              open(t)                      [R2]
//   awaited, s     open for t     the opener              open(t), which thaws    [R2] [A1]
//
// All doors open for the same turns. What waits outside looks at the word of the first one.
//
// Invariants
//   I1  All strands that wait at the same time wait for the same turn, the next one that opens.
//   I2  Between the word becoming `awaited` and the ult being in the list its worker does not
//       switch. So when the worker looks at the list, here or in its inbox, all are in it that
//       answer no alert.
//   I3  A door is in its worker's inbox only while a ult waits at it; a gate lives while a strand
//       waits.
//   I4  An alert (alert.h) takes a ult out of the list while it answers. Then the ult joins the
//       list again, unless the list was thawed meanwhile. So a door that opened in between has left
//       the inbox before the ult goes on.
//
// Memory order
//   [R2] release, pairs with [A2] acquire in wait: a strand that passes sees what was written
//   before open().
//   [R1] release, pairs with [A1] acquire: the opener may hand the list over.
//   A ult that freezes sees what was written before open() by the worker's inbox, or by running on
//   the opener's worker.
//   seq_cst orders the first word and `any_outside_`: the opener writes one and reads the other, a
//   strand that waits outside the other way round. So one of them sees the other.
//
// Thread safety: wait and open from any strand; open by one strand at a time.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"

namespace heddle::ult {

class Gate {
 public:
  using Turn = std::uint64_t;

  // Ults of `workers` spin or freeze; all other strands wait in a slower list. The gate is open for
  // turn 0.
  explicit Gate(std::span<const int> workers);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Returns when the gate has opened for `turn` or a later one; answers alerts meanwhile. Requires
  // that all waits for earlier turns have returned: a ult that was let through and has not run yet
  // may still be in the list that this one would join. May switch.
  void wait(Turn turn) noexcept;

  // Returns true if it is open for `turn`, or opens while the caller's worker has nothing else to
  // run; never for long.
  bool spin(Turn turn) const noexcept;

  // True if wait(turn) would return at once, and then what was written before open() is seen.
  bool has_opened(Turn turn) noexcept;

  // Requires a later turn than the last, and that the gate lives until open() returns. Never
  // blocks.
  void open(Turn turn) noexcept;

  // True if all doors have opened for the same turn, the last one, and where a strand of the
  // caller's worker waits its list says so (I1, I2). For the strand that opens, before it does.
  bool is_valid() noexcept;

 private:
  struct Door;
  struct Waiter;

  Door* door_of_caller() const noexcept;
  static bool spin_at(const Door& door, Turn turn) noexcept;
  static void freeze_at(Door& door, Turn turn) noexcept;
  static void open_door(Door& door, Turn turn, bool is_own) noexcept;
  void wait_outside(Turn turn) noexcept;
  void open_outside(Turn turn) noexcept;

  // Constant.
  std::vector<int> door_of_worker_;  // -1: none
  std::size_t door_count_;           // one at least, perhaps of no worker
  std::unique_ptr<Door[]> doors_;

  std::atomic<bool> any_outside_{false};  // written with the lock
  // Lock: guards kernel threads, and ults of other workers, that wait at a gate.
  SpinLock lock_;
  IntrusiveList<Waiter> outside_;
};

}  // namespace heddle::ult
