#include "exec/process/signals/signals.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fork.h"
#include "base/platform/clock.h"
#include "base/standing.h"
#include "exec/process/own/own.h"
#include "exec/process/signals/dispatch.h"
#include "exec/process/signals/frame.h"
#include "exec/process/signals/kernel_actions.h"
#include "exec/process/signals/processor_timers.h"
#include "exec/process/signals/signal_thread.h"
#include "exec/process/sleep/cancellation.h"
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

using LeftCallEnder = void (*)(const char* call);
constinit LeftCallEnder on_left_call = nullptr;

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

// Keeps these signals from now on, which are blocked or waited for: the kernel has them blocked
// nowhere. Not those of faults, nor those by which the kernel refuses a terminal: it looks at its
// own mask and sends them again and again. Nor those that the process has been told to ignore: its
// children are to ignore them, too.
void expect(RankSignals& rank, Mask signals) {
  constexpr Mask kNotKept = kNeverBlocked | bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) |
                            bit(SIGTRAP) | bit(SIGSYS) | bit(SIGTTIN) | bit(SIGTTOU);
  if ((signals & ~rank.expected.load(std::memory_order_acquire)) == 0) return;
  rank.pending.prepare();
  Mask kept = 0;
  for (int signal = 1; signal <= kSignals; ++signal) {
    const Mask it = signals & ~kNotKept & bit(signal);
    if (it == 0 || !is_valid(signal)) continue;
    if (rank.action(signal) == nullptr && was_ignored(signal)) continue;
    if (dispatch_from_now_on(signal) == 0) kept |= it;
  }
  SignalThread::instance().expect(kept);
  // release: another strand that finds them need not tell the signal thread.
  rank.expected.fetch_or(signals, std::memory_order_release);
}

struct sigaction action_for_program(const RankSignals& rank, int signal) noexcept {
  if (const struct sigaction* own = rank.action(signal)) return *own;
  struct sigaction by_default = {};
  if (was_ignored(signal)) by_default.sa_handler = SIG_IGN;
  return by_default;
}

// Blocks signals for the time of a wait.
class Blocking {
 public:
  explicit Blocking(Mask blocked) noexcept : before_(strand_signals().blocked) {
    strand_signals().blocked = blocked & ~kNeverBlocked;
  }
  ~Blocking() { strand_signals().blocked = before_; }
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;

 private:
  const Mask before_;
};

}  // namespace

void set_ender_of_left_calls(void (*end_job)(const char*)) noexcept {
  on_left_call = end_job;
}

// Makes our handler that of the signals that the kernel drops by default. It drops one at once only
// where the thread that it comes for does not block it. SIGCHLD comes for the thread that forked:
// where that one blocks all, as a spare thread does, the kernel wakes another thread, which leaves
// its call with a part of its bytes, and then drops the signal. Only a handler sees such a cut.
void handle_dropped_signals() noexcept {
  for (const int signal : {SIGCHLD, SIGCONT, SIGWINCH}) {
    // A process that ignores SIGCHLD has no children to wait for.
    if (!was_ignored(signal)) dispatch_from_now_on(signal);
  }
}

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

bool suspend(Mask blocked) {
  StrandSignals& self = strand_signals();
  expect(*self.rank, blocked);
  const Blocking meanwhile(blocked);
  const unsigned long before = self.handled;
  run_pending();
  while (self.handled == before) {
    const WaitEnd end =
        self.rank->pending.wait(~self.blocked, platform::kNever, process::cancellation_point());
    if (end == WaitEnd::kCancelled) return false;
    run_pending();
  }
  return true;
}

int take(Mask wanted, std::int64_t deadline_ns, siginfo_t* info) {
  StrandSignals& self = strand_signals();
  const unsigned long before = self.handled;
  Pending::Taken taken = {wanted, {}};
  expect(*self.rank, wanted);
  for (;;) {
    const int signal = self.rank->pending.take(wanted, info);
    if (signal != 0) return signal;
    run_pending();
    errno = self.handled != before ? EINTR : EAGAIN;
    if (self.handled != before || platform::now_ns() >= deadline_ns) return -1;
    const WaitEnd end = self.rank->pending.wait(wanted | ~self.blocked, deadline_ns,
                                                process::cancellation_point(), &taken);
    if (taken.info.si_signo != 0) {
      *info = taken.info;
      return info->si_signo;
    }
    if (end == WaitEnd::kCancelled) {
      errno = ECANCELED;
      return -1;
    }
  }
}

TakesInKernel::TakesInKernel(Mask wanted) : rank_(*strand_signals().rank) {
  taken_.wanted = wanted;
  taken_.kernel_thread = platform::kernel_thread_id();
  waiting_.taken = &taken_;
  expect(rank_, wanted);
  rank_.pending.begin_taking(waiting_);
}

void TakesInKernel::pass_on(const siginfo_t& info) noexcept {
  const bool is_of_thread = info.si_code == SI_TKILL || info.si_pid == getpid();
  if (!is_of_thread && process::hosted_state()->ranks > 1) SignalThread::instance().pass_on(info);
}

int TakesInKernel::end() noexcept {
  rank_.pending.end_taking(waiting_);
  return taken_.info.si_signo;
}

namespace {
// `otherwise`: where no handler has run.
WaitEnd end_after(const HandlersSince& handlers, WaitEnd otherwise) noexcept {
  if (!handlers.any()) return otherwise;
  return handlers.all_restart() ? WaitEnd::kRestarts : WaitEnd::kHandled;
}
}  // namespace

WaitEnd sleep_until(std::int64_t deadline_ns, ult::Interrupt* interrupt) {
  StrandSignals& self = strand_signals();
  if (self.rank == nullptr) {
    ult::Completion never;
    return ult::wait(
        never,
        {.deadline_ns = deadline_ns, .interrupt = interrupt, .alerts = ult::Alerts::kIgnores});
  }
  const HandlersSince handlers;
  WaitEnd end = WaitEnd::kDone;
  while (end == WaitEnd::kDone && !handlers.any()) {
    end = self.rank->pending.wait(~self.blocked, deadline_ns, interrupt);
    if (end == WaitEnd::kDone) run_pending();
  }
  return end_after(handlers, end);
}

WaitEnd answer_alert() {
  const HandlersSince handlers;
  ult::answer_alert();
  return end_after(handlers, WaitEnd::kAlerted);
}

namespace {
// In the part of a jmp_buf for a mask that the kernel's 64 signals leave free.
struct Saved {
  Mask kernels;
  Mask mark;
  Mask blocked;
};
constexpr Mask kMark = 0x68656464'6c652e31;
static_assert(sizeof(Saved) <= sizeof(sigset_t));
}  // namespace

void save_mask(struct __jmp_buf_tag* target) noexcept {
  const StrandSignals& self = strand_signals();
  const bool ours = self.rank != nullptr && self.is_ult;
  const Saved saved = {0, ours ? kMark : 0, self.blocked};
  std::memcpy(&target->__saved_mask, &saved, sizeof saved);
}

void prepare_jump(struct __jmp_buf_tag* target) {
  StrandSignals& self = strand_signals();
  if (self.rank == nullptr) return;
  const std::uintptr_t to = stack_pointer_of(*target);
  ult::leave_call_before_jump(to);
  if (self.innermost != nullptr) {
    const char* const left = forget_runs_below(to);
    if (left != nullptr && on_left_call != nullptr) on_left_call(left);
  }
  Saved saved;
  std::memcpy(&saved, &target->__saved_mask, sizeof saved);
  if (!self.is_ult || target->__mask_was_saved == 0 || saved.mark != kMark) return;
  self.blocked = saved.blocked;
  run_pending();
}

}  // namespace heddle::process::signals
