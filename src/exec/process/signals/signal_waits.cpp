#include "exec/process/signals/signal_waits.h"

#include <unistd.h>

#include <cerrno>

#include "base/platform/clock.h"
#include "exec/process/signals/dispatch.h"
#include "exec/process/signals/kept_signals.h"
#include "exec/process/signals/signal_thread.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/process/state/rank_state.h"
#include "exec/ult/alert.h"

namespace heddle::process::signals {

namespace {

// Blocks signals for the time of a wait.
class Blocking {
 public:
  explicit Blocking(Mask blocked) noexcept : before_(strand_signals().blocked) {
    strand_signals().blocked = blocked & ~kNeverBlocked;
  }
  ~Blocking() { strand_signals().blocked = before_; }
  Blocking(Blocking&&) = delete;

 private:
  const Mask before_;
};

// `otherwise`: where no handler has run.
WaitEnd end_after(const HandlersSince& handlers, WaitEnd otherwise) noexcept {
  if (!handlers.any()) return otherwise;
  return handlers.all_restart() ? WaitEnd::kRestarts : WaitEnd::kHandled;
}

}  // namespace

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

}  // namespace heddle::process::signals
