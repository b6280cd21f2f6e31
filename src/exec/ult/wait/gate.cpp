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
  using Word = std::uint64_t;
  static constexpr Word kAwaited = 1;
  static constexpr Word word_of(Turn turn) noexcept { return turn << 1; }
  static constexpr bool is_open(Word word, Turn turn) noexcept { return word >= word_of(turn); }
  bool is_open(Turn turn) const noexcept {
    return is_open(word.load(std::memory_order_acquire), turn);  // [A2]
  }

  std::atomic<Word> word{0};
  Worker* worker = nullptr;  // constant
};

struct Gate::Waiter : ListNode<> {
  explicit Waiter(Turn its_turn) noexcept : turn(its_turn) {}

  const Turn turn;
  Completion passed;
};

Gate::Gate(std::span<const int> workers)
    : door_count_(std::max<std::size_t>(workers.size(), 1)), doors_(new Door[door_count_]) {
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

inline bool Gate::spin_at(const Door& door, Turn turn) noexcept {
  const auto is_open = [&] { return door.is_open(turn); };
  if (is_open()) return true;
  return door.worker->may_spin(*Ult::current_) && door.worker->spin_for(Awaited(is_open));
}

bool Gate::spin(Turn turn) const noexcept {
  const Door* const door = door_of_caller();
  return door != nullptr && spin_at(*door, turn);
}

void Gate::wait(Turn turn) noexcept {
  schedule_point();
  for (;;) {
    Door* const door = door_of_caller();
    if (door == nullptr) return wait_outside(turn);
    if (spin_at(*door, turn)) return;
    // relaxed: as in Worker::park_unless_alerted.
    if (!Ult::current_->alerted.load(std::memory_order_relaxed)) [[likely]]
      return freeze_at(*door, turn);
    answer_alert();  // the ult may be on another worker afterwards
  }
}

void Gate::freeze_at(Door& door, Turn turn) noexcept {
  Door::Word seen = door.word.load(std::memory_order_acquire);  // [A2]
  if (Door::is_open(seen, turn)) return;
  if ((seen & Door::kAwaited) == 0 &&
      !door.word.compare_exchange_strong(seen, seen | Door::kAwaited,
                                         std::memory_order_release,     // [R1]
                                         std::memory_order_acquire)) {  // [A2]
    return;  // opened meanwhile: no other strand of this worker runs
  }
  Ult& self = *Ult::current_;
  const unsigned thaws = door.thaws;
  while (!door.worker->freeze(self, door)) {
    answer_alert();
    --door.answering;
    self.stays = false;
    // The word would not do: the door may have opened and still be in the inbox (I3).
    if (door.thaws != thaws) break;
  }
  assert(door.is_open(turn) && "thawed in turn");
}

bool Gate::has_opened(Turn turn) noexcept {
  const Door* const door = door_of_caller();
  return (door != nullptr ? *door : doors_[0]).is_open(turn);
}

bool Gate::is_valid() noexcept {
  const SpinGuard guard(lock_);
  const Ult* self = Ult::current_;
  // relaxed, both: the caller is the only one that opens.
  const auto open_for = [](const Door& door) {
    return door.word.load(std::memory_order_relaxed) & ~Door::kAwaited;
  };
  for (std::size_t i = 0; i < door_count_; ++i) {
    const Door& door = doors_[i];
    if (open_for(door) != open_for(doors_[0])) return false;
    const bool awaited = (door.word.load(std::memory_order_relaxed) & Door::kAwaited) != 0;
    if (self == nullptr || &self->here() != door.worker || !awaited) continue;
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
  const Door* const own = door_of_caller();
  // The caller's own at last: other workers wait for theirs.
  for (std::size_t i = 0; i < door_count_; ++i) {
    if (&doors_[i] != own) open_door(doors_[i], turn, false);
  }
  if (own != nullptr) open_door(doors_[own - doors_.get()], turn, true);
  schedule_point();
  if (any_outside_.load(std::memory_order_seq_cst)) [[unlikely]]
    open_outside(turn);
}

void Gate::open_door(Door& door, Turn turn, bool is_own) noexcept {
  const Door::Word seen =
      door.word.exchange(Door::word_of(turn), std::memory_order_seq_cst);  // [R2][A1]
  assert(!Door::is_open(seen, turn) && "gates open in turn");
  if ((seen & Door::kAwaited) == 0) return;
  if (is_own) {
    door.worker->thaw_here(door);
  } else {
    door.worker->thaw_from_afar(door);
  }
}

void Gate::wait_outside(Turn turn) noexcept {
  Waiter self(turn);
  {
    SpinGuard guard(lock_);
    outside_.push_back(self);
    any_outside_.store(true, std::memory_order_seq_cst);
    if (Door::is_open(doors_[0].word.load(std::memory_order_seq_cst), turn)) {
      IntrusiveList<Waiter>::erase(self);
      any_outside_.store(!outside_.empty(), std::memory_order_relaxed);
      return;
    }
  }
  self.passed.wait();
}

void Gate::open_outside(Turn turn) noexcept {
  IntrusiveList<Waiter> passing, staying;
  {
    SpinGuard guard(lock_);
    while (Waiter* waiter = outside_.pop_front()) {
      (waiter->turn <= turn ? passing : staying).push_back(*waiter);
    }
    while (Waiter* waiter = staying.pop_front()) outside_.push_back(*waiter);
    any_outside_.store(!outside_.empty(), std::memory_order_relaxed);
  }
  while (Waiter* waiter = passing.pop_front()) waiter->passed.set();  // it is gone from here on
}

}  // namespace heddle::ult
