#include "mpi/coll/helper.h"

#include <atomic>
#include <new>
#include <string>
#include <utility>

#include "base/standing.h"
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
  void complete() noexcept override { passed_.set(); }
  Error refuse_to_end() const override { return {}; }
  void wait() noexcept {
    const ult::NotedWait noted(
        {Standing::mine.call,
         [](const void*) -> std::string { return "collectives that it has started"; }, nullptr});
    passed_.wait();
  }

 private:
  void carry_out() noexcept override {}

  ult::Completion passed_;
};

void wait_for_task() noexcept {
  const ult::NotedWait noted({"a helper", [](const void*) -> std::string { return "a task"; },
                              nullptr, ult::WaitReason::kNoTask});
  ult::Strand::park();
}

// relaxed: the reader learns nothing else by it.
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
  own.pool_.serve_all(own);
  process::leave_thread();
  Rank::enter(nullptr);
}

bool Helper::begin() noexcept {
  return !ult::spawn(Helper::main, this, {.owner = &pool_.rank_}, &ult_);
}

// ---- queues

bool Helpers::add(Seat& side, Task& task) noexcept {
  {
    const SpinGuard guard(lock_);
    put_in(side, task);
    if (side.started.served) return true;
    side.started.served = true;
  }
  if (give(side)) return true;
  // Before it there may be a split-phase operation, and another strand may wait for that.
  if (take_out(side, task)) serve(side);
  return false;
}

void Helpers::add_split(Seat& side, Task& task) noexcept {
  const SpinGuard guard(lock_);
  put_in(side, task);
}

void Helpers::entrust(Seat& side, Task& task) noexcept {
  {
    const SpinGuard guard(lock_);
    if (side.started.served || side.started.tasks.front() != &task) return;
    side.started.served = true;
  }
  if (!give(side)) serve(side);
}

void Helpers::await(Seat& side) noexcept {
  Fence fence;
  bool serves = false;
  {
    const SpinGuard guard(lock_);
    if (side.started.tasks.empty()) return;
    serves = !std::exchange(side.started.served, true);
    if (!serves) side.started.tasks.push_back(fence);
  }
  if (serves) {
    serve(side);
  } else {
    fence.wait();
  }
}

void Helpers::put_in(Seat& side, Task& task) noexcept {
  side.started.tasks.push_back(task);
  if (side.started.any.load(std::memory_order_relaxed)) return;
  busy_.push_back(side);
  // relaxed: other strands look at it that the program orders behind the start.
  side.started.any.store(true, std::memory_order_relaxed);
}

void Helpers::take_out_locked(Seat& side, Task& task) noexcept {
  IntrusiveList<Task>::erase(task);
  if (!side.started.tasks.empty()) return;
  IntrusiveList<Seat, BusySeats>::erase(side);
  side.started.served = false;
  side.started.any.store(false, std::memory_order_release);  // see await_started
}

// ---- servers

bool Helpers::take_out(Seat& side, Task& task) noexcept {
  const SpinGuard guard(lock_);
  take_out_locked(side, task);
  return side.started.served;
}

Task& Helpers::first_of(Seat& side) noexcept {
  const SpinGuard guard(lock_);
  return *side.started.tasks.front();
}

void Helpers::serve(Seat& side) noexcept {
  for (bool rest = true; rest;) {
    Task& task = first_of(side);
    task.run();
    rest = take_out(side, task);
    task.complete();
  }
}

void Helpers::serve_one(Seat& side, Task& task) noexcept {
  task.run();
  const bool rest = take_out(side, task);
  task.complete();
  if (rest && !give(side)) serve(side);
}

bool Helpers::give(Seat& side) noexcept {
  Helper* idle = nullptr;
  {
    const SpinGuard guard(lock_);
    idle = idle_.pop_front();
    if (idle != nullptr) idle->seat_ = &side;
  }
  if (idle != nullptr) {
    ult::work_begins();
    idle->strand_->wake();
  } else if (!give_to_new(side)) {
    return false;
  }
  ult::look_after_ults();
  return true;
}

bool Helpers::give_to_new(Seat& side) noexcept {
  auto* const made = new (std::nothrow) Helper(*this);
  if (made == nullptr) return false;
  // What a ult needs comes from pthread_create, whose threads are not the program's here.
  Rank::enter(nullptr);
  bool begun = ult::running() || !ult::start_lending();
  ult::work_begins();
  made->seat_ = &side;
  begun = begun && made->begin();
  Rank::enter(&rank_);
  if (!begun) {
    ult::work_ends();
    delete made;
    return false;
  }
  const SpinGuard guard(lock_);
  made->older_ = youngest_;
  youngest_ = made;
  return true;
}

void Helpers::serve_all(Helper& helper) noexcept {
  while (Task* const task = next_of(helper)) {
    helper.follow_rank();
    task->run();
    const bool idle = finish(helper, *task);
    task->complete();
    if (idle) wait_for_task();
  }
}

// Null: it has been woken to end.
Task* Helpers::next_of(Helper& helper) noexcept {
  const SpinGuard guard(lock_);
  return helper.seat_ != nullptr ? helper.seat_->started.tasks.front() : nullptr;
}

bool Helpers::finish(Helper& helper, Task& task) noexcept {
  const SpinGuard guard(lock_);
  take_out_locked(*helper.seat_, task);
  if (helper.seat_->started.served) return false;
  helper.seat_ = nullptr;
  ult::work_ends();
  if (ending_) return false;
  idle_.push_front(helper);  // the youngest stack is the warmest
  return true;
}

// ---- the end

Error Helpers::check_none() {
  const SpinGuard guard(lock_);
  for (Seat& side : busy_) {
    for (const Task& task : side.started.tasks) {
      if (Error e = task.refuse_to_end()) return e;
    }
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
  const SpinGuard guard(lock_);
  ending_ = false;  // the rank may begin to use MPI again
}

Error check_helpers_idle() {
  Helpers* const helpers = helpers_of_rank.find();
  return helpers != nullptr ? helpers->check_none() : Error{};
}

void end_helpers() noexcept {
  if (Helpers* const helpers = helpers_of_rank.find()) helpers->end();
  ult::stop_lending();
}

}  // namespace heddle::coll
