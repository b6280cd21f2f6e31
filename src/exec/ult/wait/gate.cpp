#include "exec/ult/gate.h"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "base/platform/cpu.h"
#include "base/schedule_point.h"
#include "exec/ult/alert.h"
#include "exec/ult/completion.h"
#include "exec/ult/run/worker.h"
#include "exec/ult/run/worker_table.h"

namespace heddle::ult {

struct alignas(platform::kCacheLine) Gate::Door : FrozenUlts {
  static constexpr Turn kAwaited = 1;
  static constexpr Turn word_of(Turn turn) noexcept { return turn << 1; }

  std::atomic<Turn> word{0};
  Worker* worker = nullptr;  // constant
};

struct Gate::Waiter : ListNode<> {
  Completion passed;
};

Gate::Gate(std::span<const int> workers) : doors_(new Door[workers.size()]) {
  door_count_ = workers.size();
  const int end = workers.empty() ? 0 : *std::max_element(workers.begin(), workers.end()) + 1;
  door_of_worker_.assign(static_cast<std::size_t>(end), -1);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    door_of_worker_[static_cast<std::size_t>(workers[i])] = static_cast<int>(i);
    doors_[i].worker = &worker_for(workers[i]);
  }
}

Gate::~Gate() {
  assert(outside_.empty());
}

inline Gate::Door* Gate::door_of_caller() const noexcept {
  const Ult* self = Ult::current_;
  if (self == nullptr) return nullptr;
  const auto number = static_cast<std::size_t>(self->here().number());
  if (number >= door_of_worker_.size() || door_of_worker_[number] < 0) return nullptr;
  return &doors_[static_cast<std::size_t>(door_of_worker_[number])];
}

void Gate::wait(Turn turn) noexcept {
  schedule_point();
  Door* door = door_of_caller();
  if (door == nullptr) return wait_outside(turn);
  Turn seen = door->word.load(std::memory_order_acquire);  // [A2]
  if (seen >= Door::word_of(turn)) return;
  if ((seen & Door::kAwaited) == 0 &&
      !door->word.compare_exchange_strong(seen, seen | Door::kAwaited,
                                          std::memory_order_release,     // [R1]
                                          std::memory_order_acquire)) {  // [A2]
    return;  // opened meanwhile: no other strand of this worker runs
  }
  Ult& self = *Ult::current_;
  const unsigned thaws = door->thaws;
  while (!door->worker->freeze(self, *door)) {
    answer_alert();
    --door->answering;
    self.stays = false;
    // Not the word: the door may have opened and still be in the inbox (I3).
    if (door->thaws != thaws) break;
  }
  // relaxed: what the thaw ordered is ordered.
  assert(door->word.load(std::memory_order_relaxed) >= Door::word_of(turn) && "thawed in turn");
}

bool Gate::has_opened(Turn turn) noexcept {
  if (const Door* door = door_of_caller()) {
    return door->word.load(std::memory_order_acquire) >= Door::word_of(turn);  // [A2]
  }
  const SpinGuard guard(lock_);
  return outside_turn_ >= turn;
}

bool Gate::is_valid() noexcept {
  const SpinGuard guard(lock_);
  const Ult* self = Ult::current_;
  for (std::size_t i = 0; i < door_count_; ++i) {
    const Door& door = doors_[i];
    // relaxed: the caller is the only one that opens.
    const Turn seen = door.word.load(std::memory_order_relaxed);
    if ((seen & ~Door::kAwaited) != Door::word_of(outside_turn_)) return false;
    if (self == nullptr || &self->here() != door.worker || (seen & Door::kAwaited) == 0) continue;
    const auto waits = [&](const Ult& ult) {
      return ult.state == State::kFrozen && &ult.here() == door.worker;
    };
    if ((door.ults.empty() && door.answering == 0) ||
        !door.ults.is_valid(door.worker->load(), waits))
      return false;
  }
  return outside_.is_valid();
}

void Gate::open(Turn turn) noexcept {
  schedule_point();
  assert(is_valid());
  const Ult* self = Ult::current_;
  open_outside(turn);
  for (std::size_t i = 0; i < door_count_; ++i) {
    Door& door = doors_[i];
    const Turn seen =
        door.word.exchange(Door::word_of(turn), std::memory_order_acq_rel);  // [R2][A1]
    assert(seen < Door::word_of(turn) && "gates open in turn");
    if ((seen & Door::kAwaited) == 0) continue;
    if (self != nullptr && &self->here() == door.worker) {
      door.worker->thaw_here(door);
    } else {
      door.worker->thaw_from_afar(door);
    }
  }
}

void Gate::wait_outside(Turn turn) noexcept {
  Waiter self;
  {
    SpinGuard guard(lock_);
    if (outside_turn_ >= turn) return;
    outside_.push_back(self);
  }
  self.passed.wait();
}

void Gate::open_outside(Turn turn) noexcept {
  IntrusiveList<Waiter> passing;
  {
    SpinGuard guard(lock_);
    outside_turn_ = turn;
    while (Waiter* waiter = outside_.pop_front()) passing.push_back(*waiter);
  }
  while (Waiter* waiter = passing.pop_front()) waiter->passed.set();  // it is gone from here on
}

}  // namespace heddle::ult
