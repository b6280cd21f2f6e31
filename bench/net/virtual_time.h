// virtual_time.h — strands that take turns by clocks of their own, as if each had a core.
//
// All are on one kernel thread. The strand runs whose clock is behind, and hands on where it spends time or waits, nowhere
// else. So what happens, and in which order, depends on what the strands spend alone: not on the machine, its cores or its
// load. Time is counted in instructions.

#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace heddle::bench {

class VirtualTime {
 public:
  using Time = std::int64_t;

  // Runs body(0) to body(count - 1), each in a strand, and returns when all have ended.
  void run(int count, const std::function<void(int)>& body) {
    body_ = &body;
    for (int i = 0; i < count; ++i) {
      strands_.push_back(std::make_unique<Strand>());
      Strand& made = *strands_.back();
      getcontext(&made.context);
      made.context.uc_stack.ss_sp = made.stack.get();
      made.context.uc_stack.ss_size = kStackBytes;
      made.context.uc_link = nullptr;
      makecontext(&made.context, begin, 0);
    }
    running_ = this;
    self_ = next();
    swapcontext(&all_ended_, &mine().context);
    strands_.clear();
  }

  // The calling strand is busy for so long.
  void spend(Time time) {
    mine().clock += time;
    hand_on();
  }

  // The calling strand waits until another one wakes it, and its clock is at least that one's.
  void wait() {
    mine().state = State::kWaits;
    hand_on();
  }
  void wake(int strand) {
    Strand& other = *strands_[static_cast<std::size_t>(strand)];
    other.state = State::kRuns;
    other.clock = std::max(other.clock, now());
  }

  Time now() { return mine().clock; }
  static int self() { return running_->self_; }

 private:
  static constexpr std::size_t kStackBytes = 256 << 10;
  enum class State { kRuns, kWaits, kEnded };
  struct Strand {
    ucontext_t context;
    std::unique_ptr<char[]> stack{new char[kStackBytes]};
    Time clock = 0;
    State state = State::kRuns;
  };

  static void begin() {
    VirtualTime& time = *running_;
    (*time.body_)(time.self_);
    time.mine().state = State::kEnded;
    time.hand_on();
  }

  Strand& mine() { return *strands_[static_cast<std::size_t>(self_)]; }

  // Of those that run, the strand whose clock is behind, the first of several; -1: none runs.
  int next() const {
    int found = -1;
    for (std::size_t i = 0; i < strands_.size(); ++i) {
      if (strands_[i]->state != State::kRuns) continue;
      const bool behind =
          found < 0 || strands_[i]->clock < strands_[static_cast<std::size_t>(found)]->clock;
      if (behind) found = static_cast<int>(i);
    }
    return found;
  }
  void hand_on() {
    Strand& before = mine();
    const int after = next();
    if (after == self_) return;
    self_ = after;
    swapcontext(&before.context, after < 0 ? &all_ended_ : &mine().context);
  }

  std::vector<std::unique_ptr<Strand>> strands_;
  ucontext_t all_ended_;
  const std::function<void(int)>* body_ = nullptr;
  int self_ = -1;
  static inline VirtualTime* running_ = nullptr;
};

}  // namespace heddle::bench
