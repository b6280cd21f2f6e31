#include "exec/process/signals/kept_signals.h"

#include "exec/process/signals/dispatch.h"
#include "exec/process/signals/kernel_actions.h"
#include "exec/process/signals/signal_thread.h"

namespace heddle::process::signals {

// Signals of faults are not kept, nor those by which the kernel refuses a terminal: it looks at its
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

// The kernel drops such a signal at once only where the thread that it comes for does not block it.
// SIGCHLD comes for the thread that forked: where that one blocks all, as a spare thread does, the
// kernel wakes another thread, which leaves its call with a part of its bytes, and then drops the
// signal. Only a handler sees such a cut.
void handle_dropped_signals() noexcept {
  for (const int signal : {SIGCHLD, SIGCONT, SIGWINCH}) {
    // A process that ignores SIGCHLD has no children to wait for.
    if (!was_ignored(signal)) dispatch_from_now_on(signal);
  }
}

}  // namespace heddle::process::signals
