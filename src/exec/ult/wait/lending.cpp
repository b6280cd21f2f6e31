#include "exec/ult/wait/lending.h"

#include <atomic>

#include "exec/ult/run/lent_worker.h"
#include "exec/ult/run/worker_table.h"
#include "exec/ult/switch/worker_thread.h"
#include "exec/ult/under_way.h"

namespace heddle::ult {

namespace {
constinit std::atomic<bool> is_taken{false};
constinit std::atomic<int> under_way{0};
constinit std::atomic<int> waiting{0};
constinit std::atomic<bool> looked{false};  // relaxed: a hint
thread_local constinit bool is_stand_in = false;
}  // namespace

bool take_worker() noexcept {
  return !is_taken.load(std::memory_order_relaxed) &&
         !is_taken.exchange(true, std::memory_order_acquire);
}

void give_worker_back() noexcept {
  is_taken.store(false, std::memory_order_release);
}

bool run_ready(LentWorker& worker) noexcept {
  if (!worker.wants_a_thread() && !(is_stand_in && worker.has_due_timer())) return false;
  if (!take_worker()) return false;
  worker.run(WorkerThread::of_caller());
  give_worker_back();
  return true;
}

bool look_after_ults() noexcept {
  LentWorker* const worker = the_lent_worker.load(std::memory_order_acquire);
  if (worker == nullptr || Ult::current_ != nullptr) return false;
  if (!is_stand_in) {
    if (!others_have_looked()) looked.store(true, std::memory_order_relaxed);
    worker->call_stand_in(LentWorker::kAttended);
  }
  return run_ready(*worker);
}

bool ults_want_a_thread() noexcept {
  const LentWorker* const worker = the_lent_worker.load(std::memory_order_acquire);
  return worker != nullptr && worker->wants_a_thread();
}

void work_begins() noexcept {
  LentWorker* const worker = the_lent_worker.load(std::memory_order_acquire);
  if (worker == nullptr) return;
  under_way.fetch_add(1, std::memory_order_seq_cst);
  worker->call_stand_in(LentWorker::kUnwatched);
}

void work_ends() noexcept {
  if (the_lent_worker.load(std::memory_order_acquire) == nullptr) return;
  under_way.fetch_sub(1, std::memory_order_seq_cst);
}

Attendance::Attendance() noexcept
    : worker_(is_stand_in ? nullptr : the_lent_worker.load(std::memory_order_acquire)) {
  if (worker_ != nullptr) waiting.fetch_add(1, std::memory_order_seq_cst);
}

Attendance::~Attendance() {
  if (worker_ == nullptr) return;
  if (waiting.fetch_sub(1, std::memory_order_seq_cst) != 1) return;
  if (work_under_way() != 0) worker_->call_stand_in(LentWorker::kUnwatched);
}

void become_stand_in() noexcept {
  is_stand_in = true;
}

int work_under_way() noexcept {
  return under_way.load(std::memory_order_seq_cst);
}

int threads_that_wait() noexcept {
  return waiting.load(std::memory_order_seq_cst);
}

bool others_have_looked() noexcept {
  return looked.load(std::memory_order_relaxed);
}

void forget_looks() noexcept {
  looked.store(false, std::memory_order_relaxed);
}

}  // namespace heddle::ult
