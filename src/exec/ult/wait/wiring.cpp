// wiring.cpp — where calls go up: functions that lower rooms or the headers of this folder declare,
// because something below the workers needs them, and that only workers can do.
//
//   declared in     function                      needed below by
//   --------------  ----------------------------  ----------------------------------------------
//   strand.h        current, park, yield, ...     all that waits
//   completion.h    wait                          shared work: its owner waits for the helpers
//   ult_record.h    wake                          completions: a Strand is all they know
//   ult_record.h    prepare                       the worker that first runs a ult: how it begins
//   whereabouts.h   whereabouts                   shared work: which place, which NUMA node
//
// Plain functions, and no table of pointers: the linker wires them, so a park costs no indirect
// call.

#include <sched.h>

#include <cassert>

#include "base/platform/futex.h"
#include "base/sanitizer.h"
#include "base/schedule_point.h"
#include "exec/ult/alert.h"
#include "exec/ult/completion.h"
#include "exec/ult/idle/pollers.h"
#include "exec/ult/idle/whereabouts.h"
#include "exec/ult/run/resume_hook.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/run/worker.h"
#include "exec/ult/run/worker_table.h"
#include "exec/ult/strand.h"
#include "exec/ult/ult.h"
#include "exec/ult/under_way.h"
#include "exec/ult/wait/kernel_strand.h"

namespace heddle::ult {

Strand& Strand::current() noexcept {
  if (Ult* self = Ult::current_) return *self;
  return KernelStrand::mine();
}

// Not inlined into its callers, so that Worker::park is inlined into it: 6 instructions less for
// each wait.
[[gnu::noinline]] void Strand::park() noexcept {
  schedule_point();
  if (Ult* self = Ult::current_) {
    self->here().park(*self);
  } else {
    KernelStrand::mine().park_self_until(platform::kNever);
  }
}

WaitEnd Strand::park_until(std::int64_t deadline_ns, Alerts alerts) noexcept {
  if (deadline_ns == platform::kNever) {  // no timer
    if (alerts != Alerts::kIgnores && !park_unless_alerted()) return WaitEnd::kAlerted;
    if (alerts == Alerts::kIgnores) park();
    return WaitEnd::kDone;
  }
  schedule_point();
  if (Ult* self = Ult::current_) return self->here().park_until(*self, deadline_ns, alerts);
  return KernelStrand::mine().park_self_until(deadline_ns) ? WaitEnd::kDone : WaitEnd::kTimedOut;
}

[[gnu::noinline]] bool Strand::park_unless_alerted() noexcept {
  schedule_point();
  if (Ult* self = Ult::current_) return self->here().park_unless_alerted(*self);
  return KernelStrand::mine().park_self_until(platform::kNever);
}

void yield() noexcept {
  if (Ult* self = Ult::current_) {
    self->here().yield(*self);
  } else {
    sched_yield();
  }
}

void yield_to_ready() noexcept {
  // The kernel shares out its threads by itself.
  if (Ult* self = Ult::current_) self->here().yield_to_ready(*self);
}

void sleep_until(std::int64_t deadline_ns) noexcept {
  if (Ult* self = Ult::current_) {
    self->here().sleep_until(*self, deadline_ns);
    return;
  }
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec deadline{.tv_sec = deadline_ns / kSecond, .tv_nsec = deadline_ns % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) != 0) {
  }
}

bool relax() noexcept {
  if (Ult* self = Ult::current_) return self->here().relax(*self);
  const bool progress = poll_all(-1, PollEffort::kIdle);
  if (!look_after_ults() && !progress) sched_yield();
  return true;
}

bool Completion::spin(const AwaitedCount& other) const noexcept {
  Ult* const self = Ult::current_;
  if (self == nullptr || !self->here().may_spin(*self)) return false;
  const auto is_there = [&] { return done() || other.reached(); };
  return self->here().spin_for(Awaited(is_there));
}

bool Completion::park_unless_alerted() noexcept {
  Strand& self = Strand::current();
  if (!enroll(self)) return true;
  if (!Strand::park_unless_alerted()) [[unlikely]] {
    if (withdraw(self)) return false;
    Strand::park();
  }
  assert(done() && "some wake-up was not absorbed by the strand that asked for it");
  return true;
}

void Completion::wait_slow() noexcept {
  while (!spin() && !park_unless_alerted()) {
    answer_alert();
    if (done()) return;
  }
}

void Ult::wake() noexcept {
  schedule_point();
  const Ult* const waker = current_;
  // relaxed: its own worker is the only one that it compares with (ult_record.h).
  Worker* const at = worker.load(std::memory_order_relaxed);
  if (waker != nullptr && &waker->here() == at) {
    at->wake_here(*this);
  } else {
    Worker::wake_from_afar(*this);
  }
}

namespace {

[[gnu::no_sanitize_address]] void ult_main(void* argument) {
  Ult* self = static_cast<Ult*>(argument);
  tsan_acquire(self);
  tsan_acquire(&self->here());
  Ult::set_current(self);
  if (const Watch* const watching = watch()) watching->runs(self->here().number());
  self->function(self->argument);
  finish_current();
}

}  // namespace

void Ult::prepare() noexcept {
  context =
      make_context(orphan.ult_stack_top(), orphan.thread_pointer(), float_modes, ult_main, this);
}

Whereabouts whereabouts() noexcept {
  const int workers = worker_table().running.load(std::memory_order_acquire);
  const Ult* const self = Ult::current_;
  if (self == nullptr || workers == 0) return {.workers = workers};
  return {self->here().number(), self->here().numa_node(), workers};
}

}  // namespace heddle::ult
