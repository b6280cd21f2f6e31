// deadlines.h — which ults of a worker wait for a time, and which of them is due next.
//
// Some of these waits end for nothing but a question of the judge of deadlocks (stillness.h): such
// a ult asks, and waits on. A worker of which all waits are so sleeps for good.
//
// Invariants
//   I1  A ult has at most one deadline; Scheduled::has_timer says whether it has one.
//   I2  A ult with a deadline does not run. So it asks, or does not, as it did when its deadline
//       was set.
//
// Thread safety: none; the strands of the worker.

#pragma once

#include <cstdint>

#include "exec/ult/run/timer_heap.h"
#include "exec/ult/run/ult_record.h"

namespace heddle::ult {

class Deadlines {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  // platform::kNever: there is none.
  std::int64_t first() const noexcept { return heap_.first_deadline(); }
  // No deadline ends a wait; true also if there is none.
  bool only_ask() const noexcept { return all_ == asking_; }

  void set(Ult& ult, std::int64_t deadline_ns) noexcept {
    heap_.add(ult, deadline_ns);
    ult.has_timer = true;
    count(ult, 1);
  }
  void forget(Ult& ult) noexcept {
    if (!ult.has_timer) return;
    heap_.remove(ult);
    ult.has_timer = false;
    count(ult, -1);
  }
  // A ult that is due, whose deadline is forgotten; null: none is.
  Ult* take_due(std::int64_t now_ns) noexcept {
    Ult* const due = static_cast<Ult*>(heap_.take_due(now_ns));
    if (due == nullptr) return nullptr;
    due->has_timer = false;
    count(*due, -1);
    return due;
  }

 private:
  void count(const Ult& ult, int more) noexcept {
    all_ += more;
    if (ult.asks()) asking_ += more;
  }

  TimerHeap heap_;
  int all_ = 0;
  int asking_ = 0;
};

}  // namespace heddle::ult
