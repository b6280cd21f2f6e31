#include "exec/ult/run/worker.h"

#include <cassert>

#include "base/platform/clock.h"
#include "base/platform/signals.h"
#include "base/platform/topology.h"
#include "base/sanitizer.h"
#include "base/standing.h"
#include "exec/ult/idle/pollers.h"
#include "exec/ult/run/resume_hook.h"
#include "exec/ult/run/ticks.h"

namespace heddle::ult {

// Something that is ready, or nullptr; now and then also what only others know to be ready.
inline Ult* Worker::pick_at_once() noexcept {
  if (inbox_.has_news()) take_inbox();
  if (--until_look_ == 0) look_outside(PollEffort::kPassing);
  return queue_.pop();
}

// nullptr: the scheduler stops, or idle() says so.
inline Ult* Worker::pick() noexcept {
  if (stopping_) [[unlikely]]
    return nullptr;
  Ult* next = pick_at_once();
  return next != nullptr ? next : idle();
}

void Worker::show_resumed() const noexcept {
  if (const ResumeHook resumed = resume_hook()) resumed(number_);
}

// Runs on the worker that runs `self` now, which may be another one than before its wait.
[[gnu::always_inline]] inline void Worker::resume(Ult& self) noexcept {
  if constexpr (kHasThreadSanitizer) tsan_acquire(&self.here());
  if (const ResumeHook resumed = resume_hook()) resumed(self.here().number_);
}

[[gnu::always_inline]] inline void Worker::switch_to(Context& from, Ult& next) noexcept {
  next.state = State::kRunning;
  count(switches_);
  tsan_release(this);
  switch_context(from, next.context);
}

[[gnu::always_inline]] inline void Worker::enter(Ult& self, Ult& next) noexcept {
  if (next.turn != turn_) [[unlikely]]
    return enter_unusual(self, next);
  switch_to(self.context, next);
  resume(self);
}

void Worker::enter_unusual(Ult& self, Ult& next) noexcept {
  Ult* chosen = &next;
  while (!prepare_unusual(*chosen)) {
    chosen = pick();
    if (chosen == nullptr) return leave_to_root(self);
    if (chosen == &self) return go_on_here(self);
  }
  switch_to(self.context, *chosen);
  resume(self);
}

// `next` was popped, and runs on no stack. False: it has gone to another worker.
bool Worker::prepare_unusual(Ult& next) noexcept {
  if (next.turn.moves && send(next)) return false;
  if (next.turn.computes != turn_.computes) show_computing(next.turn.computes);
  return true;
}

void Worker::enter_from_root(Ult& next) noexcept {
  switch_to(thread_->root, next);
  tsan_acquire(this);
  show_resumed();
}

// `self` has popped itself.
[[gnu::always_inline]] inline void Worker::go_on_here(Ult& self) noexcept {
  self.state = State::kRunning;
  if (self.turn.moves) [[unlikely]]
    leave_to_move(self);
}

[[gnu::always_inline]] inline void Worker::leave_to_another(Ult& self) noexcept {
  Ult* next = pick();
  if (next == &self) {
    go_on_here(self);
  } else if (next != nullptr) {
    enter(self, *next);
  } else {
    leave_to_root(self);
  }
}

// The scheduler stops while `self` waits: it stands still until the worker is launched again.
void Worker::leave_to_root(Ult& self) noexcept {
  const Context root = thread_->root;  // the worker may write its own as soon as it is handed over
  tsan_release(this);
  switch_context(self.context, root);
  resume(self);
}

// No other worker may enter `self` as long as this stack is in use: the root sends it away.
void Worker::leave_to_move(Ult& self) noexcept {
  self.state = State::kReady;
  leaving_ = &self;
  leave_to_root(self);
}

// Requires that `ult` was popped and runs on no stack. False: it stays, this time or for good.
bool Worker::send(Ult& ult) noexcept {
  Worker& to = *ult.target.load(std::memory_order_relaxed);
  if (&to == this) ult.turn.moves = false;
  if (ult.stays || !ult.turn.moves) return false;
  std::uint32_t none = 0;
  // relaxed: if it fails, the news are taken here; else the inbox orders all that the new worker
  // has to see.
  if (!ult.news.compare_exchange_strong(none, Ult::kMoved, std::memory_order_relaxed)) {  // [M1]
    return false;
  }
  ult.turn.moves = false;
  ult.state = State::kReady;
  count(moves_);
  add_load(-1);
  to.add_load(1);
  ult.worker.store(nullptr, std::memory_order_relaxed);
  to.put_into_inbox(ult);
  return true;
}

bool Worker::run_ults(WorkerThread& thread) noexcept {
  while (Ult* next = pick()) {
    if (next->turn != turn_ && !prepare_unusual(*next)) continue;
    enter_from_root(*next);
    tsan_acquire(&thread);
    if (Ult* home = std::exchange(thread.returned, nullptr)) [[unlikely]] {
      home->here().take_home(*home);
      return false;
    }
    if (Ult* leaving = std::exchange(leaving_, nullptr)) [[unlikely]] {
      if (metering()) meter_.turn_to(nullptr);  // its account may go once it is elsewhere
      if (!send(*leaving)) queue_.push_woken(*leaving);
      continue;
    }
    if (finished_ == nullptr) break;  // leave_to_root
    Ult* ended = finished_;
    finished_ = nullptr;
    add_load(-1);
    ended->finished.set();  // from now on it may be gone
  }
  return true;
}

void Worker::leave_in_call(Ult& self) noexcept {
  if (metering()) meter_.turn_to(nullptr, Settle::kNow);
  self.state = State::kAway;
  self.turn.computes = false;
  if (turn_.computes) show_computing(false);
}

void Worker::wake_here(Ult& ult) noexcept {
  ++ult.local_wakes;
  if (ult.state == State::kParked) make_ready(ult);
}

void Worker::make_ready(Ult& ult) noexcept {
  deadlines_.forget(ult);
  ult.state = State::kReady;
  ult.prefetch();
  queue_.push_woken(ult);
}

bool Worker::look_outside(PollEffort effort) noexcept {
  until_look_ = kSwitchesPerLook;
  assert(is_valid());
  if (!deadlines_.empty()) {
    const std::int64_t now = platform::now_ns();
    while (Ult* due = deadlines_.take_due(now)) make_ready(*due);
  }
  queue_.pass_pollers();
  return have_pollers() && poll_all(number_, effort);
}

bool Worker::is_valid() const noexcept {
  return queue_.is_valid(load(), [this](const Ult& ult) {
    // Thawed ults are frozen until they run.
    const bool may_run = ult.state == State::kReady || ult.state == State::kFrozen;
    return may_run && &ult.here() == this && !ult.has_timer;
  });
}

[[gnu::always_inline]] inline void Worker::leave_parked(Ult& self) noexcept {
  self.state = State::kParked;
  self.turn.computes = false;
  leave_to_another(self);
}

void Worker::park(Ult& self) noexcept {
  assert(may(Act::kSwitch));
  if (self.local_wakes == 0) {
    leave_parked(self);
    while (self.local_wakes == 0)
      [[unlikely]]  // an alert has ended the turn
      self.here()
          .leave_parked(self);
  }
  --self.local_wakes;
}

bool Worker::park_unless_alerted(Ult& self) noexcept {
  assert(may(Act::kSwitch));
  if (self.local_wakes == 0) {
    // relaxed: set by this worker's strands, or by a handler of this ult.
    if (self.alerted.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    leave_parked(self);
    if (self.local_wakes == 0) [[unlikely]]
      return false;
  }
  --self.local_wakes;
  return true;
}

bool Worker::freeze(Ult& self, FrozenUlts& among) noexcept {
  assert(may(Act::kSwitch));
  self.state = State::kFrozen;
  self.turn.computes = false;
  self.frozen_among = &among;
  among.ults.push(self);
  leave_to_another(self);
  return self.frozen_among != nullptr;
}

WaitEnd Worker::park_until(Ult& self, std::int64_t deadline_ns, Alerts alerts) noexcept {
  assert(may(Act::kSwitch));
  while (self.local_wakes == 0) {
    if (alerts != Alerts::kIgnores && self.alerted.load(std::memory_order_relaxed)) {
      return WaitEnd::kAlerted;
    }
    Worker& here = self.here();  // another one after each turn
    self.state = State::kParked;
    self.turn.computes = false;
    here.deadlines_.set(self, deadline_ns);
    here.leave_to_another(self);
    if (self.local_wakes == 0 && platform::now_ns() >= deadline_ns) {
      return WaitEnd::kTimedOut;
    }
  }
  --self.local_wakes;
  return WaitEnd::kDone;
}

void Worker::sleep_until(Ult& self, std::int64_t deadline_ns) noexcept {
  assert(may(Act::kSwitch));
  self.state = State::kSleeping;
  self.turn.computes = false;
  deadlines_.set(self, deadline_ns);
  leave_to_another(self);
}

[[gnu::always_inline]] inline void Worker::yield_to(Ult& self, Ult& next) noexcept {
  self.state = State::kReady;
  queue_.push_yielded(self);
  if (stopping_) [[unlikely]] {
    queue_.push_woken(next);
    leave_to_root(self);
  } else {
    enter(self, next);
  }
}

bool Worker::yield(Ult& self) noexcept {
  assert(may(Act::kSwitch));
  Ult* next = pick_at_once();
  bool progress = false;
  if (next == nullptr) {
    progress = until_look_ == kSwitchesPerLook;  // it has just looked, and has not said
    if (look_outside(PollEffort::kIdle)) progress = true;
    next = queue_.pop();
  }
  if (next == nullptr) {
    yield_alone(self);
    return progress;
  }
  yield_to(self, *next);
  return true;
}

// Runs in a signal handler, which may have interrupted the scheduler's own code: so the queue
// changes by way of the inbox.
bool Worker::is_turn_over(const Ult& self) noexcept {
  if (has_kept_since_tick()) return true;
  switches_at_tick_ = switches();
  if (self.turn.computes) return has_waiting();
  if (queue_.has_yielded() && !has_turn_item_.exchange(true, std::memory_order_relaxed)) {
    put_into_inbox(turn_item_);
  }
  return false;
}

void Worker::yield_to_ready(Ult& self) noexcept {
  assert(may(Act::kSwitch));
  if (Ult* next = pick_at_once()) yield_to(self, *next);
}

[[gnu::no_sanitize_address]] void Worker::finish(Ult& self) noexcept {
  assert(may(Act::kSwitch));
  assert(self.local_wakes == 0 && "a ult must absorb its wake-ups before it ends");
  self.state = State::kFinished;
  self.turn.computes = false;
  finished_ = &self;
  const Context& root = thread_->root;  // not a copy, which would be on the stack that is left
  tsan_release(this);
  leave_to_context(root);
}

void Worker::add_counters(SchedulerCounters& sum) const noexcept {
  sum.switches += switches_.load(std::memory_order_relaxed);
  sum.remote_wakes += remote_wakes_.load(std::memory_order_relaxed);
  sum.moves += moves_.load(std::memory_order_relaxed);
}

}  // namespace heddle::ult
