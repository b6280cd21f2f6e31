// run_queue.h — the ults of one worker that may run, and which of them is next.
//
//   list      holds ults that                                               runs
//   --------  ------------------------------------------------------------  -----------------------
//   woken     have waited since their last turn                             first, in the order in
//                                                                           which they got ready
//   yielded   could have gone on: they compute and a tick took the worker   when no woken ult is
//             (preempt/time_slice.h), or they poll and yield                ready, or at the next
//                                                                           passing-on, see below
//
// A woken ult has used little, and another one may be waiting for what it does next: a message that
// passes through several ranks of a worker does not wait for a slice of a computing rank at each of
// them.
//
// Woken ults that wake each other in turn would keep the yielded ones from running. So these are
// passed on to the woken list:
//   pass_pollers  at each look of the worker at timers and pollers: the ults at the head that do
//                 not compute. Their turns are short.
//   pass_all      at a tick that finds a woken ult running (Worker::is_turn_over): each yielded ult
//                 gets one turn.
//
// Invariants
//   I1  A ult is in one of the two lists, once (I2 of ult_record.h).
//   I2  Both lists are first in, first out. So a yielded ult waits for those before it and, once it
//       has been passed on, for the ults that were woken before that.
//
// Thread safety: none; the strands of its worker.

#pragma once

#include "exec/ult/run/ult_record.h"

namespace heddle::ult {

class RunQueue {
 public:
  bool empty() const noexcept { return woken_.empty() && yielded_.empty(); }
  // A signal handler on the worker may ask, and gets a hint.
  bool has_yielded() const noexcept { return !yielded_.empty(); }

  void push_woken(Ult& ult) noexcept { woken_.push(ult); }
  // Takes over all of `ults`.
  void push_woken(UltQueue& ults) noexcept { woken_.append(ults); }
  void push_yielded(Ult& ult) noexcept { yielded_.push(ult); }

  // Null: it is empty.
  Ult* pop() noexcept {
    Ult* const next = woken_.pop();
    return next != nullptr ? next : yielded_.pop();
  }

  void pass_pollers() noexcept {
    for (const Ult* head; (head = yielded_.head()) != nullptr && !head->turn.computes;) {
      woken_.push(*yielded_.pop());
    }
  }
  void pass_all() noexcept { woken_.append(yielded_); }

  // True if both lists end after at most `most` ults, and `sound(ult)` holds for each.
  template <class Sound>
  bool is_valid(int most, Sound&& sound) const noexcept {
    return woken_.is_valid(most, sound) && yielded_.is_valid(most, sound);
  }

 private:
  UltQueue woken_;
  UltQueue yielded_;
};

}  // namespace heddle::ult
