#include "mpi/coll/helper.h"

#include <pthread.h>
#include <signal.h>

#include <new>
#include <utility>

#include "exec/process/main/run_main.h"
#include "exec/ult/completion.h"
#include "exec/ult/scheduler.h"

namespace heddle::coll {

const RankLocal<Helpers> helpers_of_rank;

namespace {

// Done when all tasks before it are.
class Fence final : public Task {
 public:
  void run() noexcept override {}
  void complete() noexcept override { passed_.set(); }
  Error refuse_to_end() const override { return {}; }
  void wait() noexcept { passed_.wait(); }

 private:
  ult::Completion passed_;
};

}  // namespace

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
  if (ult::running()) return !ult::spawn(Helper::main, this, {}, &ult_);
  // The program's signals are for the program's own threads.
  sigset_t all;
  sigset_t usual;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &usual);
  const auto run = [](void* helper) -> void* {
    main(helper);
    return nullptr;
  };
  const int error = pthread_create(&thread_, nullptr, run, this);
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  return error == 0;
}

void Helper::join() noexcept {
  if (ult_ != nullptr) return ult::join(ult_);
  pthread_join(thread_, nullptr);
}

void Helpers::give(Helper& helper, Seat& side, Task& task) noexcept {
  helper.seat_ = &side;
  helper.tasks_.push_back(task);
  // relaxed: only this strand looks, and those that the program orders behind it.
  side.helper.store(&helper, std::memory_order_relaxed);
}

void Helpers::part(Helper& helper) noexcept {
  helper.seat_->helper.store(nullptr, std::memory_order_release);  // see await_started
  helper.seat_ = nullptr;
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
  give(*made, side, task);
  // Its TLS block comes from a pthread_create that is not the program's.
  Rank::enter(nullptr);
  const bool begun = made->begin();
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
    task->run();
    const bool idle = finish(helper, *task);
    task->complete();
    if (idle) ult::Strand::park();
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
    helper->join();
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
}

}  // namespace heddle::coll
