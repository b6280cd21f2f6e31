// The worker without a thread: what the threads that have it in turn, and the deputy, do with it (lend.h, wait/deputy.h).
#include "base/platform/clock.h"
#include "exec/ult/run/worker.h"

namespace heddle::ult {

void Worker::run_lent(WorkerThread& thread) noexcept {
  thread_ = &thread;
  kernel_id_.store(thread.id(), std::memory_order_relaxed);
  if (metering()) meter_.forget();
  if (!timers_.empty()) look_outside(PollEffort::kPassing);
  run_ults(thread);
  // relaxed: a hint for threads that may take the worker.
  left_ready_.store(has_ready(), std::memory_order_relaxed);
  const std::int64_t deadline = timers_.first_deadline();
  left_deadline_.store(deadline, std::memory_order_relaxed);  // the deputy's look, or:
  if (deadline < deputy_deadline_) call_deputy(awake_.load(std::memory_order_relaxed));
}

bool Worker::has_due_timer() const noexcept {
  const std::int64_t deadline = left_deadline_.load(std::memory_order_relaxed);
  return deadline != platform::kNever && platform::now_ns() >= deadline;
}

bool Worker::leave_unwatched(std::uint32_t word, std::int64_t* deadline_ns) noexcept {
  awake_.store(word, std::memory_order_seq_cst);  // with the counters of lent_worker.cpp
  take_nodes(inbox_.take_all_visibly());
  left_ready_.store(has_ready(), std::memory_order_relaxed);
  *deadline_ns = deputy_deadline_ = timers_.first_deadline();
  if (!has_ready()) return true;
  show_watched();
  return false;
}

void Worker::call_deputy(std::uint32_t word) noexcept {
  std::uint32_t awake =
      awake_.load(std::memory_order_seq_cst);  // with the counters of lent_worker.cpp
  if (awake != word || awake == kAwake) return;
  if (awake_.compare_exchange_strong(awake, kAwake, std::memory_order_relaxed)) end_deputy();
}

}  // namespace heddle::ult
