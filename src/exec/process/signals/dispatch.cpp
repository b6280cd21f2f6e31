#include "exec/process/signals/dispatch.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/platform/signals.h"
#include "base/standing.h"
#include "exec/crash/crash.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/signals/frame.h"
#include "exec/process/signals/kernel_actions.h"
#include "exec/process/signals/nudge.h"
#include "exec/process/signals/pending.h"
#include "exec/process/signals/processor_timers.h"
#include "exec/process/signals/signal_thread.h"
#include "exec/process/state/rank_state.h"
#include "exec/rank/rank.h"
#include "exec/ult/alert.h"
#include "exec/ult/program_signals.h"
#include "exec/ult/shared_work.h"
#include "exec/ult/ult.h"

namespace heddle::process::signals {

namespace {

using IsProgramCode = bool (*)(std::uintptr_t);
constinit std::atomic<IsProgramCode> is_program_code{nullptr};

thread_local constinit bool asks_for_pending = false;  // in run_pending()

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

bool is_fault(int signal, const siginfo_t& info) noexcept {
  return info.si_code > 0 && info.si_code != SI_KERNEL
             ? std::find(std::begin(kFaults), std::end(kFaults), signal) != std::end(kFaults)
             : info.si_code == SI_KERNEL && (signal == SIGSEGV || signal == SIGTRAP);
}

constinit char mark_of_own = 0;  // its address

bool is_own(int signal, const siginfo_t& info) noexcept {
  if (is_fault(signal, info)) return true;
  if (info.si_pid != getpid()) return false;  // another process may send any
  return signal == SIGPIPE || signal == SIGABRT || info.si_code == SI_TKILL ||
         (info.si_code == SI_USER && info.si_value.sival_ptr == &mark_of_own);
}

bool is_system_call(std::uintptr_t at) noexcept {
  const auto* const code = reinterpret_cast<const unsigned char*>(at);
  return code[0] == 0x0f && code[1] == 0x05;
}

bool may_run_here(const ucontext_t& context) noexcept {
  if (asks_for_pending) return true;
  const StrandSignals& strand = strand_signals();
  if (!strand.is_ult) return true;
  if (!may(Act::kRunProgram)) return false;
  ult::Ult* const self = ult::current();
  // Else it waits, and its worker looks around. There is none in a call that its worker has left.
  if (self != nullptr && ult::kernel_thread_of(*self) == 0) return false;
  const std::uintptr_t at = platform::program_counter(context);
  if (is_code_of_program(at)) return true;
  constexpr std::uintptr_t kInstructionBytes = 2;
  return is_system_call(at) || is_system_call(at - kInstructionBytes);
}

void set_by_default(int signal) noexcept {
  struct sigaction action = {};
  ::sigaction(signal, &action, nullptr);
}

int current_rank() noexcept {
  const Rank* const rank = Rank::current();
  return rank != nullptr ? rank->number() : -1;
}

void act_as_before(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = action_before(signal);
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler == SIG_IGN) return;
  if (before.sa_handler != SIG_DFL) return before.sa_handler(signal);
  switch (default_of(signal)) {
    case Default::kIgnore:
      return;
    case Default::kStop:
      ::kill(getpid(), SIGSTOP);
      return;
    case Default::kEnd:
      crash::end_by_default(signal, current_rank());
  }
}

[[noreturn]] void fail_as_crash(int signal, siginfo_t* info, void* context) {
  act_as_before(signal, info, context);
  set_by_default(signal);
  crash::end_by_default(signal, current_rank());
}

bool has_handler(const struct sigaction* action) noexcept {
  return action != nullptr && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

// A null action: the process's.
bool is_ignored(int signal, const struct sigaction* action) noexcept {
  if (action == nullptr && was_ignored(signal)) return true;
  const bool by_default = action == nullptr || action->sa_handler == SIG_DFL;
  return by_default ? default_of(signal) == Default::kIgnore : action->sa_handler == SIG_IGN;
}

// Runs the rank's handler: does not return.
void run(int signal, const struct sigaction& action, siginfo_t* info, ucontext_t& context) {
  const struct sigaction copy = action;
  if ((copy.sa_flags & SA_RESETHAND) != 0) strand_signals().rank->reset_action(signal);
  if (!run_on_its_stack(signal, copy, *info, context)) fail_as_crash(SIGSEGV, info, &context);
}

// Acts on a signal that the calling strand itself has caused.
void act_on_own(int signal, siginfo_t* info, ucontext_t& context) {
  const StrandSignals& strand = strand_signals();
  const struct sigaction* const action =
      strand.rank == nullptr ? nullptr : strand.rank->action(signal);
  const bool fault = is_fault(signal, *info);
  if (info->si_code == SI_USER) info->si_value = {};
  const bool blocked = strand.is_ult && (strand.blocked & bit(signal)) != 0;
  if (fault && (blocked || !has_handler(action))) return fail_as_crash(signal, info, &context);
  if (blocked && signal != SIGABRT) return strand.rank->pending.note(*info);
  if (has_handler(action)) return run(signal, *action, info, context);
  if (action == nullptr) return act_as_before(signal, info, &context);
  if (action->sa_handler == SIG_IGN || default_of(signal) == Default::kIgnore) return;
  act_as_before(signal, info, &context);
}

void act_on_pending(ucontext_t& context) {
  StrandSignals& strand = strand_signals();
  if (strand.rank == nullptr) return;
  if (!may_run_here(context)) return ult::alert_self();
  asks_for_pending = false;
  const Mask blocked = strand.is_ult ? blocked_by(strand) : mask_of(context.uc_sigmask);
  siginfo_t info;
  while (strand.rank->pending.take(~blocked, &info) != 0) {
    const struct sigaction* const action = strand.rank->action(info.si_signo);
    if (has_handler(action)) return run(info.si_signo, *action, &info, context);
    if (is_ignored(info.si_signo, action)) continue;
    if (default_of(info.si_signo) == Default::kEnd) {
      crash::end_by_default(info.si_signo, current_rank());
    }
    act_as_before(info.si_signo, &info, &context);
  }
}

// Notes what is due of the calling strand's rank. The signal thread comes again if its handler
// cannot run now.
void act_on_timers(ucontext_t& context) {
  RankSignals& rank = *strand_signals().rank;
  if (ProcessorTimers::instance().any() && ProcessorTimers::instance().tick(rank)) {
    SignalThread::instance().ring();
  }
  act_on_pending(context);
}

bool is_alone() noexcept {
  const process::RankState* const state = process::hosted_state();
  return state != nullptr && state->ranks == 1;
}

// The kernel's timer on processor time is ours for the timers of ranks. If there are none, it is
// that of the only rank.
void act_on_processor_time(const siginfo_t& info, ucontext_t& context) {
  RankSignals* const rank = strand_signals().rank;
  if (!ProcessorTimers::instance().any()) {
    if (rank == nullptr) {
      SignalThread::instance().pass_on(info);
    } else if (is_alone() && has_handler(rank->action(info.si_signo))) {
      rank->pending.note(info);
      SignalThread::instance().ring();  // if its handler cannot run now
      act_on_pending(context);
    }  // else it is a tick of before the last timer was turned off
  } else if (rank != nullptr) {
    act_on_timers(context);
  } else {
    // The kernel sometimes takes another thread than the one that computes.
    ProcessorTimers::instance().nudge_all();
  }
}

bool is_pending(int signal) noexcept {
  const RankSignals* const rank = strand_signals().rank;
  return rank != nullptr && (rank->pending.all() & bit(signal)) != 0;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  auto& interrupted = *static_cast<ucontext_t*>(context);
  ult::give_part_back(*info, interrupted.uc_sigmask);
  if (is_nudge(*info) || (platform::is_without_sender(*info) && is_pending(signal))) {
    if (strand_signals().rank != nullptr) act_on_timers(interrupted);
  } else if (is_own(signal, *info)) {
    act_on_own(signal, info, interrupted);
  } else if ((signal == SIGPROF || signal == SIGVTALRM) && info->si_code == SI_KERNEL) {
    act_on_processor_time(*info, interrupted);
  } else if (SignalThread::is_given_back(*info) || !SignalThread::instance().pass_on(*info)) {
    act_as_before(signal, info, context);
  }
  ult::go_on_with_call(interrupted);  // no handler of the program has run
  errno = error;
}

}  // namespace

void set_program_code_test(bool (*test)(std::uintptr_t)) noexcept {
  is_program_code.store(test, std::memory_order_relaxed);
}

bool is_code_of_program(std::uintptr_t program_counter) noexcept {
  const auto is_program = is_program_code.load(std::memory_order_relaxed);
  return is_program != nullptr && is_program(program_counter);
}

void mark_as_own(siginfo_t& info) noexcept {
  info.si_value.sival_ptr = &mark_of_own;
}

int dispatch_from_now_on(int signal) noexcept {
  if (!ult::interrupts_workers(signal)) return take_over(signal, on_signal);
  ult::set_program_handler(dispatch);
  share_with_scheduler(signal);
  return 0;
}

void dispatch(int signal, siginfo_t* info, void* context) {
  platform::change_mask_of_this_thread(SIG_SETMASK, set_of(~Mask{0}), nullptr);
  on_signal(signal, info, context);
  const sigset_t before = static_cast<ucontext_t*>(context)->uc_sigmask;
  platform::change_mask_of_this_thread(SIG_SETMASK, before, nullptr);
}

void run_pending() {
  StrandSignals& strand = strand_signals();
  while (strand.rank != nullptr) {
    const int signal = strand.rank->pending.first(~strand.blocked);
    if (signal == 0) return;
    if (is_ignored(signal, strand.rank->action(signal))) {
      strand.rank->pending.drop(signal);  // where no handler is ours, the kernel ignores a nudge
      continue;
    }
    asks_for_pending = true;
    nudge(platform::kernel_thread_id(), signal);
    asks_for_pending = false;
  }
}

void run_pending_while_waiting() {
  if (may(Act::kAnswer)) run_pending();
}

}  // namespace heddle::process::signals
