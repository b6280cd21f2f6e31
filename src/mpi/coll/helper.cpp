#include "mpi/coll/helper.h"

#include <atomic>
#include <new>
#include <string>
#include <utility>

#include "exec/process/main/run_main.h"
#include "exec/ult/completion.h"
#include "exec/ult/lend.h"
#include "exec/ult/move.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/stillness.h"
#include "exec/ult/under_way.h"
#include "net/world/host.h"

namespace heddle::coll {

const RankLocal<Helpers> helpers_of_rank;

namespace {

// Done when all tasks before it are.
class Fence final : public Task {
 public:
  void run() noexcept override {}
  void complete() noexcept override { passed_.set(); }
  Error refuse_to_end() const override { return {}; }
  void wait() noexcept {
    const ult::NotedWait noted(
        {Rank::current_call,
         [](const void*) -> std::string { return "collectives that it has started"; }, nullptr});
    passed_.wait();
  }

 private:
  ult::Completion passed_;
};

void wait_for_task() noexcept {
  const ult::NotedWait noted({"a helper", [](const void*) -> std::string { return "a task"; },
                              nullptr, ult::WaitNote::Kind::kNoTask});
  ult::Strand::park();
}

// relaxed: nothing else is told by it.
int worker_of_rank() noexcept {
  return std::atomic_ref(world::here().process->worker).load(std::memory_order_relaxed);
}

}  // namespace

Helper::Helper(Helpers& pool) noexcept : pool_(pool), worker_of_rank_(worker_of_rank()) {}

void Helper::follow_rank() noexcept {
  const int worker = worker_of_rank();
  if (worker == worker_of_rank_) return;
  worker_of_rank_ = worker;
  ult::move(*ult::current(), worker);
}

void Helper::main(void* helper) {
  auto& own = *static_cast<Helper*>(helper);
  Rank::enter(&own.pool_.rank_);
  process::adopt_thread();
  own.strand_ = &ult::Strand::current();
  own.pool_.serve(own);
  process::leave_thread();
  Rank::enter(nullptr);
}

bool Helper::begin() noexcept {
  return !ult::spawn(Helper::main, this, {.owner = &pool_.rank_}, &ult_);
}

void Helpers::give(Helper& helper, Seat& side, Task& task) noexcept {
  ult::work_begins();
  helper.seat_ = &side;
  helper.tasks_.push_back(task);
  // relaxed: only this strand looks, and those that the program orders behind it.
  side.helper.store(&helper, std::memory_order_relaxed);
}

void Helpers::part(Helper& helper) noexcept {
  helper.seat_->helper.store(nullptr, std::memory_order_release);  // see await_started
  helper.seat_ = nullptr;
  ult::work_ends();
}

bool Helpers::add_if_busy(Seat& side, Task& task) noexcept {
  const SpinGuard guard(lock_);
  Helper* const helper = side.helper.load(std::memory_order_relaxed);
  if (helper == nullptr) return false;
  helper->tasks_.push_back(task);
  return true;
}

bool Helpers::add(Seat& side, Task& task) noexcept {
  if (add_if_busy(side, task)) return true;
  if (!add_to_free(side, task)) return false;
  ult::look_after_ults();
  return true;
}

bool Helpers::add_to_free(Seat& side, Task& task) noexcept {
  Helper* idle = nullptr;
  {
    const SpinGuard guard(lock_);
    idle = idle_.pop_front();
    if (idle != nullptr) give(*idle, side, task);
  }
  if (idle == nullptr) return add_to_new(side, task);
  idle->strand_->wake();
  return true;
}

bool Helpers::add_to_new(Seat& side, Task& task) noexcept {
  auto* const made = new (std::nothrow) Helper(*this);
  if (made == nullptr) return false;
  // What a ult needs comes from pthread_create, whose threads are not the program's here.
  Rank::enter(nullptr);
  bool begun = ult::running() || !ult::start_lending();
  give(*made, side, task);
  begun = begun && made->begin();
  Rank::enter(&rank_);
  if (!begun) {
    IntrusiveList<Task>::erase(task);
    part(*made);
    delete made;
    return false;
  }
  const SpinGuard guard(lock_);
  made->older_ = youngest_;
  youngest_ = made;
  return true;
}

void Helpers::serve(Helper& helper) noexcept {
  while (Task* const task = first_of(helper)) {
    helper.follow_rank();
    task->run();
    const bool idle = finish(helper, *task);
    task->complete();
    if (idle) wait_for_task();
  }
}

Task* Helpers::first_of(Helper& helper) noexcept {
  const SpinGuard guard(lock_);
  return helper.tasks_.front();
}

bool Helpers::finish(Helper& helper, Task& task) noexcept {
  const SpinGuard guard(lock_);
  IntrusiveList<Task>::erase(task);
  if (!helper.tasks_.empty()) return false;
  part(helper);
  if (ending_) return false;
  idle_.push_front(helper);  // the youngest stack is the warmest
  return true;
}

Error Helpers::check_idle() {
  const SpinGuard guard(lock_);
  for (Helper* helper = youngest_; helper != nullptr; helper = helper->older_) {
    if (const Task* const task = helper->tasks_.front()) return task->refuse_to_end();
  }
  return {};
}

Helper* Helpers::next_idle() noexcept {
  const SpinGuard guard(lock_);
  ending_ = true;
  return idle_.pop_front();
}

Helper* Helpers::take_all() noexcept {
  const SpinGuard guard(lock_);
  return std::exchange(youngest_, nullptr);
}

void Helpers::end() noexcept {
  while (Helper* const idle = next_idle()) idle->strand_->wake();
  Helper* next = take_all();
  while (Helper* const helper = next) {
    ult::join(helper->ult_);
    next = helper->older_;
    delete helper;
  }
}

void await_helper(Seat& side) noexcept {
  Fence fence;
  if (helpers_of_rank.get().add_if_busy(side, fence)) fence.wait();
}

Error check_helpers_idle() {
  Helpers* const helpers = helpers_of_rank.find();
  return helpers != nullptr ? helpers->check_idle() : Error{};
}

void end_helpers() noexcept {
  if (Helpers* const helpers = helpers_of_rank.find()) helpers->end();
  ult::stop_lending();
}

}  // namespace heddle::coll
