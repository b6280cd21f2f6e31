#include "exec/ult/run/lent_worker.h"

#include "base/platform/clock.h"

namespace heddle::ult {

void LentWorker::run(WorkerThread& thread) noexcept {
  thread_ = &thread;
  kernel_id_.store(thread.id(), std::memory_order_relaxed);
  if (metering()) meter_.forget();
  if (!deadlines_.empty()) look_outside(PollEffort::kPassing);
  run_ults(thread);
  // relaxed: a hint for threads that may take the worker.
  left_ready_.store(has_ready(), std::memory_order_relaxed);
  const std::int64_t deadline = deadlines_.first();
  left_deadline_.store(deadline, std::memory_order_relaxed);  // the stand-in's look, or:
  if (deadline < stand_in_deadline_) call_stand_in(awake_.load(std::memory_order_relaxed));
}

bool LentWorker::has_due_timer() const noexcept {
  const std::int64_t deadline = left_deadline_.load(std::memory_order_relaxed);
  return deadline != platform::kNever && platform::now_ns() >= deadline;
}

bool LentWorker::leave_unwatched(std::uint32_t word, std::int64_t* deadline_ns) noexcept {
  awake_.store(word, std::memory_order_seq_cst);  // with the counters of lending.cpp
  take_nodes(inbox_.take_all_visibly());
  left_ready_.store(has_ready(), std::memory_order_relaxed);
  *deadline_ns = stand_in_deadline_ = deadlines_.first();
  if (!has_ready()) return true;
  show_watched();
  return false;
}

void LentWorker::call_stand_in(std::uint32_t word) noexcept {
  std::uint32_t awake = awake_.load(std::memory_order_seq_cst);  // with the counters of lending.cpp
  if (awake != word || awake == kAwake) return;
  if (awake_.compare_exchange_strong(awake, kAwake, std::memory_order_relaxed)) end_stand_in();
}

void LentWorker::yield_alone(Ult& self) noexcept {
  self.state = State::kReady;
  queue_.push_yielded(self);
  leave_to_root(self);
}

}  // namespace heddle::ult
