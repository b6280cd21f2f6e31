#include "exec/ult/event.h"

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

struct alignas(platform::kCacheLine) Event::Waiters : FrozenUlts {
  using Word = std::uint64_t;
  static constexpr Word kAwaited = 1;
  static constexpr Word word_of(Phase phase) noexcept { return phase << 1; }
  static constexpr bool is_set(Word word, Phase phase) noexcept { return word >= word_of(phase); }
  bool is_set(Phase phase) const noexcept {
    return is_set(word.load(std::memory_order_acquire), phase);  // [A2]
  }

  std::atomic<Word> word{0};
  Worker* worker = nullptr;  // constant
};

struct Event::Outsider : ListNode<> {
  explicit Outsider(Phase its_phase) noexcept : phase(its_phase) {}

  const Phase phase;
  Completion passed;
};

Event::Event(std::span<const int> workers)
    : places_(std::max<std::size_t>(workers.size(), 1)), waiters_(new Waiters[places_]) {
  const int end = workers.empty() ? 0 : *std::max_element(workers.begin(), workers.end()) + 1;
  place_of_worker_.assign(static_cast<std::size_t>(end), -1);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    place_of_worker_[static_cast<std::size_t>(workers[i])] = static_cast<int>(i);
    waiters_[i].worker = &worker_for(workers[i]);
  }
}

Event::~Event() {
  assert(outside_.empty());
}

inline Event::Waiters* Event::waiters_of_caller() const noexcept {
  const Ult* self = Ult::current_;
  if (self == nullptr) return nullptr;
  const auto number = static_cast<std::size_t>(self->here().number());
  if (number >= place_of_worker_.size() || place_of_worker_[number] < 0) return nullptr;
  return &waiters_[static_cast<std::size_t>(place_of_worker_[number])];
}

inline bool Event::spin_among(const Waiters& waiters, Phase phase) noexcept {
  const auto is_set = [&] { return waiters.is_set(phase); };
  if (is_set()) return true;
  return waiters.worker->may_spin(*Ult::current_) && waiters.worker->spin_for(Awaited(is_set));
}

bool Event::spin(Phase phase) const noexcept {
  const Waiters* const waiters = waiters_of_caller();
  return waiters != nullptr && spin_among(*waiters, phase);
}

void Event::wait(Phase phase) noexcept {
  schedule_point();
  for (;;) {
    Waiters* const waiters = waiters_of_caller();
    if (waiters == nullptr) return wait_outside(phase);
    if (spin_among(*waiters, phase)) return;
    // relaxed: as in Worker::park_unless_alerted.
    if (!Ult::current_->alerted.load(std::memory_order_relaxed)) [[likely]]
      return freeze_among(*waiters, phase);
    answer_alert();  // the ult may be on another worker afterwards
  }
}

void Event::freeze_among(Waiters& waiters, Phase phase) noexcept {
  Waiters::Word seen = waiters.word.load(std::memory_order_acquire);  // [A2]
  if (Waiters::is_set(seen, phase)) return;
  if ((seen & Waiters::kAwaited) == 0 &&
      !waiters.word.compare_exchange_strong(seen, seen | Waiters::kAwaited,
                                            std::memory_order_release,     // [R1]
                                            std::memory_order_acquire)) {  // [A2]
    return;  // set meanwhile: no other strand of this worker runs
  }
  Ult& self = *Ult::current_;
  const unsigned thaws = waiters.thaws;
  while (!waiters.worker->freeze(self, waiters)) {
    answer_alert();
    --waiters.answering;
    self.stays = false;
    // The word would not do: it may be set while the list is still in the inbox (I3).
    if (waiters.thaws != thaws) break;
  }
  assert(waiters.is_set(phase) && "thawed in order");
}

bool Event::is_set(Phase phase) noexcept {
  const Waiters* const waiters = waiters_of_caller();
  return (waiters != nullptr ? *waiters : waiters_[0]).is_set(phase);
}

bool Event::is_valid() noexcept {
  const SpinGuard guard(lock_);
  const Ult* self = Ult::current_;
  // relaxed, both: the caller is the only one that sets.
  const auto set_phase = [](const Waiters& waiters) {
    return waiters.word.load(std::memory_order_relaxed) & ~Waiters::kAwaited;
  };
  for (std::size_t i = 0; i < places_; ++i) {
    const Waiters& waiters = waiters_[i];
    if (set_phase(waiters) != set_phase(waiters_[0])) return false;
    const bool awaited = (waiters.word.load(std::memory_order_relaxed) & Waiters::kAwaited) != 0;
    if (self == nullptr || &self->here() != waiters.worker || !awaited) continue;
    const auto waits = [&](const Ult& ult) {
      return ult.state == State::kFrozen && &ult.here() == waiters.worker;
    };
    if ((waiters.ults.empty() && waiters.answering == 0) ||
        !waiters.ults.is_valid(waiters.worker->load(), waits))
      return false;
  }
  return outside_.is_valid();
}

void Event::set(Phase phase) noexcept {
  schedule_point();
  assert(is_valid());
  const Waiters* const own = waiters_of_caller();
  // The caller's own at last: other workers wait for theirs.
  for (std::size_t i = 0; i < places_; ++i) {
    if (&waiters_[i] != own) set_for(waiters_[i], phase, false);
  }
  if (own != nullptr) set_for(waiters_[own - waiters_.get()], phase, true);
  schedule_point();
  if (any_outside_.load(std::memory_order_seq_cst)) [[unlikely]]
    set_outside(phase);
}

void Event::set_for(Waiters& waiters, Phase phase, bool is_own) noexcept {
  const Waiters::Word seen =
      waiters.word.exchange(Waiters::word_of(phase), std::memory_order_seq_cst);  // [R2][A1]
  assert(!Waiters::is_set(seen, phase) && "events are set in order");
  if ((seen & Waiters::kAwaited) == 0) return;
  if (is_own) {
    waiters.worker->thaw_here(waiters);
  } else {
    waiters.worker->thaw_from_afar(waiters);
  }
}

void Event::wait_outside(Phase phase) noexcept {
  Outsider self(phase);
  {
    SpinGuard guard(lock_);
    outside_.push_back(self);
    any_outside_.store(true, std::memory_order_seq_cst);
    if (Waiters::is_set(waiters_[0].word.load(std::memory_order_seq_cst), phase)) {
      IntrusiveList<Outsider>::erase(self);
      any_outside_.store(!outside_.empty(), std::memory_order_relaxed);
      return;
    }
  }
  self.passed.wait();
}

void Event::set_outside(Phase phase) noexcept {
  IntrusiveList<Outsider> passing, staying;
  {
    SpinGuard guard(lock_);
    while (Outsider* outsider = outside_.pop_front()) {
      (outsider->phase <= phase ? passing : staying).push_back(*outsider);
    }
    while (Outsider* outsider = staying.pop_front()) outside_.push_back(*outsider);
    any_outside_.store(!outside_.empty(), std::memory_order_relaxed);
  }
  while (Outsider* outsider = passing.pop_front())
    outsider->passed.set();  // it is gone from here on
}

}  // namespace heddle::ult
