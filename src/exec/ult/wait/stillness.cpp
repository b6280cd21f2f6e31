#include "exec/ult/stillness.h"

#include <algorithm>
#include <atomic>

#include "base/platform/futex.h"
#include "exec/ult/run/all_ults.h"
#include "exec/ult/run/lent_worker.h"
#include "exec/ult/run/monitor_sleep.h"
#include "exec/ult/run/resume_hook.h"
#include "exec/ult/run/thread_worker.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/run/worker_table.h"
#include "exec/ult/wait/kernel_strand.h"
#include "exec/ult/wait/kernel_wait.h"

namespace heddle::ult {

namespace {
constinit std::atomic<std::int64_t (*)() noexcept> the_judge{nullptr};
constinit std::atomic<std::uint64_t> no_question{0};
constinit std::atomic<const std::atomic<std::uint64_t>*> the_question{&no_question};
}  // namespace

NotedWait::NotedWait(const WaitNote& note) noexcept
    : note_(note),
      self_(Ult::current_),
      outer_(self_ != nullptr ? self_->note.load(std::memory_order_relaxed)
                              : kernel_wait.note.load(std::memory_order_relaxed)),
      watch_(outer_ == nullptr ? watch() : nullptr) {
  if (watch_ != nullptr) [[unlikely]]
    watch_->waits(true);
  if (self_ == nullptr) {
    // relaxed: a judge sees them when the thread says that it sleeps (own_sleep.h).
    kernel_wait.steps.store(kernel_wait.steps.load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
    kernel_wait.note.store(&note_, std::memory_order_relaxed);
    return;
  }
  // release: the judge sees the note.
  self_->count_step();
  self_->note.store(&note_, std::memory_order_release);
}

NotedWait::~NotedWait() {
  if (self_ != nullptr) {
    self_->note.store(outer_, std::memory_order_relaxed);
  } else {
    kernel_wait.note.store(outer_, std::memory_order_relaxed);
  }
  if (watch_ != nullptr) [[unlikely]]
    watch_->waits(false);
}

AskingWait::AskingWait(const WaitNote& note) noexcept
    : noted_(note),
      self_(Ult::current_),
      outer_answered_(self_ != nullptr ? self_->answered.load(std::memory_order_relaxed)
                                       : kernel_wait.answered.load(std::memory_order_relaxed)) {
  note_answer(0);
}

AskingWait::~AskingWait() {
  note_answer(outer_answered_);
}

// acquire, both: what is asked is asked after the moment at which the number was given.
std::uint64_t AskingWait::question() noexcept {
  return the_question.load(std::memory_order_acquire)->load(std::memory_order_acquire);
}

void AskingWait::note_answer(std::uint64_t question) noexcept {
  if (self_ != nullptr) {
    self_->answered.store(question, std::memory_order_relaxed);
  } else {
    kernel_wait.answered.store(question, std::memory_order_relaxed);
  }
}

void set_question(const std::atomic<std::uint64_t>& question) noexcept {
  the_question.store(&question, std::memory_order_release);
}

const WaitNote* note_of(const Ult& ult) noexcept {
  return ult.note.load(std::memory_order_acquire);
}

const WaitNote* take_note() noexcept {
  Ult* const self = Ult::current_;
  if (self == nullptr) return nullptr;
  self->count_step();
  return self->note.exchange(nullptr, std::memory_order_relaxed);
}

void give_back_note(const WaitNote* note) noexcept {
  if (note != nullptr) Ult::current_->note.store(note, std::memory_order_release);
}

NotedCounts count_noted() noexcept {
  NotedCounts counts;
  all_ults.for_each([&counts](const Ult& ult) {
    counts.steps += ult.steps.load(std::memory_order_relaxed);
    const WaitNote* const note = note_of(ult);
    if (note == nullptr) return;
    ++counts.all;
    counts.answered = std::min(counts.answered, ult.answered.load(std::memory_order_relaxed));
    if (note->reason == WaitReason::kThreads) ++counts.for_threads;
  });
  counts.steps += all_ults.steps_of_removed();
  return counts;
}

std::vector<Ult*> noted_ults() {
  std::vector<Ult*> found(static_cast<std::size_t>(count_noted().all));
  std::size_t next = 0;
  all_ults.for_each([&](Ult& ult) {
    if (note_of(ult) != nullptr && next < found.size()) found[next++] = &ult;
  });
  found.resize(next);
  return found;
}

bool lent_ults_stand_still(std::uint64_t* steps, std::uint64_t* answered) noexcept {
  const LentWorker* const worker = the_lent_worker.load(std::memory_order_acquire);
  if (worker == nullptr) return true;
  const NotedCounts noted = count_noted();
  *steps += noted.steps;
  *answered = std::min(*answered, noted.answered);
  return noted.all == worker->load() && !worker->wants_a_thread();
}

Stillness::Stillness() noexcept {
  const WorkerTable& table = worker_table();
  workers_ = static_cast<std::size_t>(table.running.load(std::memory_order_acquire));
  if (workers_ == 0 || workers_ > kMostWorkers ||
      the_lent_worker.load(std::memory_order_acquire) != nullptr) {
    return;
  }
  kernel_thread_is_awake_ = !KernelStrand::all_sleep_for_good(&kernel_threads_sleeps_);
  if (kernel_thread_is_awake_) return;
  for (std::size_t i = 0; i < workers_; ++i) {
    if (!table.workers[i]->sleeps_for_good(&sleeps_[i])) return;
  }
  for (std::size_t i = 0; i < workers_; ++i) ults_ += table.workers[i]->load();
  holds_ = true;
}

bool Stillness::holds() const noexcept {
  if (!holds_) return false;
  for (std::size_t i = 0; i < workers_; ++i) {
    std::uint64_t sleeps = 0;
    if (!worker_table().workers[i]->sleeps_for_good(&sleeps) || sleeps != sleeps_[i]) return false;
  }
  std::uint64_t sleeps = 0;
  return KernelStrand::all_sleep_for_good(&sleeps) && sleeps == kernel_threads_sleeps_;
}

void set_stillness_judge(std::int64_t (*judge)() noexcept) noexcept {
  the_judge.store(judge, std::memory_order_release);
}

void call_judge() noexcept {
  wake_call_monitor();
}

std::int64_t judge_stillness() noexcept {
  const auto judge = the_judge.load(std::memory_order_acquire);
  return judge != nullptr ? judge() : platform::kNever;
}

}  // namespace heddle::ult
