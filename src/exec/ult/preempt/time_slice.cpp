#include "exec/ult/preempt/time_slice.h"

#include <signal.h>

#include <atomic>
#include <cerrno>

#include "base/platform/signals.h"
#include "base/standing.h"
#include "exec/ult/due_turn.h"
#include "exec/ult/interruption.h"
#include "exec/ult/preempt/away.h"
#include "exec/ult/program_signals.h"
#include "exec/ult/run/ticks.h"
#include "exec/ult/run/worker.h"
#include "exec/ult/switch/transfer.h"
#include "exec/ult/ult.h"

namespace heddle::ult {

namespace {

using IsProgram = bool (*)(std::uintptr_t program_counter, std::uintptr_t top_of_stack);
constinit std::atomic<IsProgram> is_program_code{nullptr};

// True if a handler of the program runs, which may have interrupted any code. It is known by its
// signal, which is blocked beside the usual ones, or by a stack of its own.
bool in_a_handler(const ucontext_t& context, const Ult& self) noexcept {
  const StackRange stack = stack_of(self);
  const auto low = reinterpret_cast<std::uintptr_t>(stack.low);
  const std::uintptr_t at = platform::stack_pointer(context);
  return at < low || at >= low + stack.bytes || !self.here().is_usual_mask(context.uc_sigmask);
}

// The ult may have been interrupted on another kernel thread, and others of its worker may have run
// since. So sigreturn must install the mask and signal stack that this thread has now.
void adopt_thread_state(ucontext_t& interrupted) noexcept {
  platform::signal_mask_of_this_thread(&interrupted.uc_sigmask);
  sigaltstack(nullptr, &interrupted.uc_stack);
}

// May switch.
bool go_away_if_asked(Ult& self, ucontext_t& interrupted, Reason reason) {
  if (reason != Reason::kAskedAway) return false;
  if (!go_away(self, interrupted, in_a_handler(interrupted, self))) return false;
  adopt_thread_state(interrupted);
  return true;
}

// A call that this signal has ended, or another one whose handler must not wait (go_on_with_call),
// has moved a part of its bytes. May switch.
void move_rest_of_cut(ucontext_t& interrupted) noexcept {
  SystemCall call;
  if (find_interrupted_call(interrupted, nullptr, &call) != Interrupted::kReturned) return;
  if (tell_maker_of_cut(interrupted)) return;
  set_result(interrupted, call, make_rest(call, result_of(interrupted)));
  adopt_thread_state(interrupted);
}

// True if the ult that runs is to give way for this reason.
bool has_to_give_way(const Ult& self, Reason reason) noexcept {
  switch (reason) {
    case Reason::kTick:
      return self.here().is_turn_over(self);
    case Reason::kSoonTick:
      return self.here().has_kept_since_tick();
    case Reason::kAskedAway:
      return true;
    default:
      return self.turn.computes;
  }
}

// The ult stands in a call. A tick counts what the call uses; the program gives way at the next
// call of ours. News find a ult that waits, perhaps: it does not compute, so that no news
// interrupts it again. The program does not see the signal.
void go_on_in_call(Ult& self, ucontext_t& interrupted, Reason reason) noexcept {
  if (reason == Reason::kTick || reason == Reason::kAskedAway) {
    Standing::mine.turn_is_due = has_to_give_way(self, reason) || Standing::mine.turn_is_due;
  } else if (self.turn.computes) {
    self.turn.computes = false;
    self.here().show_computing(false);
  }
  move_rest_of_cut(interrupted);
  go_on_with_call(interrupted);
}

// The ult computes: others run. May switch.
void give_way(Ult& self) noexcept {
  Standing::mine.turn_is_due = false;
  self.turn.computes = true;
  self.here().show_computing(true);
  self.here().yield_after_look(self);
}

// Runs on the stack of the ult that runs. May switch.
void yield_if_in_program(Ult& self, ucontext_t& interrupted, Reason reason) {
  Worker& worker = self.here();
  if (!has_to_give_way(self, reason)) return;
  // acquire pairs with the release of prepare_time_slices.
  const IsProgram is_program = is_program_code.load(std::memory_order_acquire);
  std::uintptr_t caller = 0;
  if (may(Act::kBeInterrupted) && platform::return_address(interrupted, &caller) &&
      is_program(platform::program_counter(interrupted), caller) &&
      !in_a_handler(interrupted, self)) {
    give_way(self);
    adopt_thread_state(interrupted);
    return;
  }
  Standing::mine.turn_is_due = true;
  if (self.turn.computes) worker.show_computing(true);  // the next news may have more luck
  const bool tick = reason == Reason::kTick || reason == Reason::kSoonTick;
  if (tick && worker.has_waiting()) worker.ticks().tick_soon();
}

// A tick, or news for a worker whose ult computes; or something of the program's.
void on_signal(int, siginfo_t* info, void* context) {
  const Reason reason = reason_of(*info);
  if (reason == Reason::kProgram) return act_for_program(info, context);
  Ult* const self = Ult::current_;
  if (reason == Reason::kSoonTick) {
    if (Ticks* ticks = self != nullptr ? &self->here().ticks() : Ticks::of_this_thread()) {
      ticks->soon_has_come();
    }
  }
  const int error = errno;
  auto& interrupted = *static_cast<ucontext_t*>(context);
  if (self == nullptr) {
    move_rest_of_cut(interrupted);
    errno = error;
    return;
  }
  if (metering()) {
    self->here().meter().tick(self->state == State::kRunning ? current_account() : nullptr);
  }
  SystemCall call;
  const bool runs = self->state == State::kRunning;
  if (runs && go_away_if_asked(*self, interrupted, reason)) {
    // The ult's call has ended meanwhile.
  } else if (runs && find_interrupted_call(interrupted, nullptr, &call) != Interrupted::kNot) {
    go_on_in_call(*self, interrupted, reason);
  } else if (may(Act::kSwitch)) {
    yield_if_in_program(*self, interrupted, reason);
  }
  call_interruption_hook(interrupted);
  errno = error;
}

}  // namespace

void take_due_turn(std::uintptr_t caller) noexcept {
  Standing::mine.turn_is_due = false;
  // acquire pairs with the release of prepare_time_slices.
  const IsProgram is_program = is_program_code.load(std::memory_order_acquire);
  if (!may(Act::kBeInterrupted) || is_program == nullptr || !is_program(caller, 0)) return;
  give_way(*Ult::current_);
}

void prepare_time_slices(const SchedulerOptions& options) noexcept {
  if (options.slice_ns == 0) return;
  is_program_code.store(options.is_program_code, std::memory_order_release);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  // Another ult that runs while this one has been interrupted is to get ticks as well.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  sigaction(kInterrupt, &action, nullptr);
  has_interrupt_handler.store(true, std::memory_order_relaxed);
}

}  // namespace heddle::ult
