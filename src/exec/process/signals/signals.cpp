#include "exec/process/signals/signals.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/fork.h"
#include "base/platform/clock.h"
#include "base/standing.h"
#include "exec/process/own/own.h"
#include "exec/process/signals/dispatch.h"
#include "exec/process/signals/kept_signals.h"
#include "exec/process/signals/kernel_actions.h"
#include "exec/process/signals/processor_timers.h"
#include "exec/process/signals/signal_thread.h"
#include "exec/process/signals/signal_waits.h"
#include "exec/process/sleep/sleep.h"
#include "exec/process/state/rank_state.h"
#include "exec/ult/alert.h"

namespace heddle::process::signals {

// The signal thread watches it as long as it lives.
struct WatchedSignals : RankSignals {
  WatchedSignals() { SignalThread::instance().add(*this); }
  ~WatchedSignals() {
    SignalThread::instance().remove(*this);
    ProcessorTimers::instance().remove(*this);
  }
};

namespace {

// The child of a fork is a process with one kernel thread: its signals are the kernel's from now
// on. So no lock of this folder is taken in it any more, whichever thread held one: Pending's,
// RankSignals', take_over's. The signal thread's is made anew.
void become_process(bool) noexcept {
  StrandSignals& self = strand_signals();
  RankSignals* const rank = self.rank;
  if (rank == nullptr) return;
  self.rank = nullptr;
  SignalThread::instance().forget_all();
  ProcessorTimers::instance().forget_all();
  for (int signal = 1; signal <= kSignals; ++signal) give_back(signal, rank->action(signal));
  if (!self.is_ult) return;
  platform::change_mask_of_this_thread(SIG_SETMASK, set_of(self.blocked), nullptr);
}
const bool at_forks = at_fork(ForkPart::kSignals, {.become_child = become_process});

void begin_strand(RankSignals* rank, Mask blocked) noexcept {
  StrandSignals& self = strand_signals();
  self.is_ult = ult::current() != nullptr;
  self.blocked = self.is_ult ? blocked : 0;
  self.stack = {};
  self.stack.ss_flags = SS_DISABLE;
  set_innermost(self, nullptr);
  self.handled = self.handled_restarting = 0;
  self.rank = rank;
  if (rank != nullptr && self.is_ult) rank->add(self);
}

void end_strand() noexcept {
  StrandSignals& self = strand_signals();
  if (self.rank == nullptr) return;
  if (self.is_ult) self.rank->remove(self);
  self.rank = nullptr;
}

struct sigaction action_for_program(const RankSignals& rank, int signal) noexcept {
  if (const struct sigaction* own = rank.action(signal)) return *own;
  struct sigaction by_default = {};
  if (was_ignored(signal)) by_default.sa_handler = SIG_IGN;
  return by_default;
}

}  // namespace

void begin_rank() {
  static constexpr process::WaitsWithSignals kWaits = {
      sleep_until, answer_alert, []() noexcept { return strand_signals().handled; }, swap_mask,
      run_pending};
  process::set_waits_with_signals(&kWaits);
  ult::set_alert_handler(run_pending_while_waiting);
  if (!at_forks) return;  // out of memory: signals stay the process's
  RankSignals& rank = own().signals.get();
  handle_dropped_signals();
  rank.main = {ult::current(), &strand_signals(), Rank::current()->number()};
  begin_strand(&rank, 0);
}

void end_rank() {
  StrandSignals& self = strand_signals();
  if (self.rank == nullptr) return;
  SignalThread::instance().remove(*self.rank);
  ProcessorTimers::instance().remove(*self.rank);
  end_strand();
}

Mask inherited_mask() noexcept {
  const StrandSignals& self = strand_signals();
  return self.rank != nullptr && self.is_ult ? self.blocked.load(std::memory_order_relaxed) : 0;
}

void begin_thread(Mask blocked) noexcept {
  RankSignals* const rank = find_own(&Own::signals);
  begin_strand(rank, blocked);
  if (rank == nullptr || strand_signals().is_ult || blocked == 0) return;
  platform::change_mask_of_this_thread(SIG_BLOCK, set_of(blocked), nullptr);
}

void end_thread() noexcept {
  end_strand();
}

bool kept_here() noexcept {
  return strand_signals().rank != nullptr;
}

int sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  RankSignals& rank = *strand_signals().rank;
  if (!is_valid(signal) || (action != nullptr && (kNeverBlocked & bit(signal)) != 0)) {
    errno = EINVAL;
    return -1;
  }
  const struct sigaction before = action_for_program(rank, signal);
  if (action != nullptr) {
    const struct sigaction wanted = *action;
    if (dispatch_from_now_on(signal) != 0) return -1;
    rank.set_action(signal, wanted);
    if (wanted.sa_handler == SIG_IGN) rank.pending.drop(signal);
    SignalThread::instance().expect(bit(signal));
  }
  if (old != nullptr) *old = before;
  return 0;
}

int change_mask(int how, const sigset_t* set, sigset_t* old) {
  StrandSignals& self = strand_signals();
  const Mask before = self.blocked;
  if (set != nullptr) {
    const Mask given = mask_of(*set) & ~kNeverBlocked;
    if (how != SIG_UNBLOCK) expect(*self.rank, given);
    switch (how) {
      case SIG_BLOCK:
        self.blocked = before | given;
        break;
      case SIG_UNBLOCK:
        self.blocked = before & ~given;
        break;
      case SIG_SETMASK:
        self.blocked = given;
        break;
      default:
        return EINVAL;
    }
  }
  if (old != nullptr) *old = set_of(before);
  run_pending();
  return 0;
}

bool swap_mask(const sigset_t& mask, sigset_t* before) noexcept {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr bool kKeptHere = false;  // sigprocmask is the sanitizer's (exports/signal_exports.cpp)
#else
  constexpr bool kKeptHere = true;
#endif
  StrandSignals& self = strand_signals();
  if (!kKeptHere || self.rank == nullptr || !self.is_ult) return false;
  expect(*self.rank, mask_of(mask));
  *before = set_of(self.blocked);
  self.blocked = mask_of(mask) & ~kNeverBlocked;
  return true;
}

int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  StrandSignals& self = strand_signals();
  char here = 0;
  const auto low = static_cast<char*>(self.stack.ss_sp);
  const bool on_it =
      self.stack.ss_sp != nullptr && &here >= low && &here < low + self.stack.ss_size;
  if (old != nullptr) {
    *old = self.stack;
    if (on_it) old->ss_flags = SS_ONSTACK;
  }
  if (stack == nullptr) return 0;
  constexpr unsigned kDisarmed = 1U << 31;  // SS_AUTODISARM, which libc does not name
  const auto mode = static_cast<unsigned>(stack->ss_flags) & ~kDisarmed;
  const bool disable = mode == SS_DISABLE;
  const int error = on_it                                            ? EPERM
                    : mode != 0 && mode != SS_ONSTACK && !disable    ? EINVAL
                    : !disable && stack->ss_size < std::size_t{2048} ? ENOMEM
                                                                     : 0;
  if (error != 0) {
    errno = error;
    return -1;
  }
  self.stack = *stack;
  if (disable) self.stack = {nullptr, SS_DISABLE, 0};
  return 0;
}

int sigpending(sigset_t* set) noexcept {
  const StrandSignals& self = strand_signals();
  *set = set_of(self.rank->pending.all() & self.blocked);
  return 0;
}

siginfo_t sent(int signal, int code) noexcept {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return info;
}

int raise(int signal, int code) {
  StrandSignals& self = strand_signals();
  if (signal < 0 || signal > kSignals) {
    errno = EINVAL;
    return -1;
  }
  siginfo_t info = sent(signal, code);
  if (signal != 0 && (self.blocked & bit(signal)) != 0) {
    self.rank->pending.prepare();
    self.rank->pending.note(info);
    return 0;
  }
  const int here = platform::kernel_thread_id();
  if (code == SI_TKILL) return static_cast<int>(syscall(SYS_tgkill, getpid(), here, signal));
  mark_as_own(info);
  return static_cast<int>(syscall(SYS_rt_tgsigqueueinfo, getpid(), here, signal, &info));
}

int send_to_rank(const siginfo_t& info) {
  StrandSignals& self = strand_signals();
  if (self.rank->accept(info)) SignalThread::instance().look();
  if (self.is_ult) run_pending();
  return 0;
}

}  // namespace heddle::process::signals
