// rank_signals.h — what a signal means to a rank, and to each of its strands.
//
//   a rank has    an action for each signal, as its sigaction() calls have set them
//   a strand has  the signals that it blocks, its alternate stack, the handlers that it is in
//
// The kernel does not know what a ult has: a worker blocks no signal, and the handler is ours for
// each signal for which some rank has an action (dispatch.h). A rank's kernel thread has its mask
// and its alternate stack in the kernel.
//
// Only ranks that a host has loaded have this; what MPIX_Run runs shares the application's signals.
//
// Thread safety: actions any strand of the rank and handlers; a strand's state is its own.

#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "base/standing.h"
#include "exec/process/signals/pending.h"
#include "exec/process/signals/timer.h"
#include "exec/ult/ult.h"

namespace heddle::process::signals {

// Signals that cannot be blocked.
constexpr Mask kNeverBlocked = bit(SIGKILL) | bit(SIGSTOP);

// A signal number that programs may use; libc has some for itself.
bool is_valid(int signal) noexcept;

struct StrandSignals;

// True as soon as a program of the process has set a handler for a signal, or has armed a timer
// that sends one. Both stay so.
inline constinit std::atomic<bool> any_handler_set{false};
inline constinit std::atomic<bool> any_timer_armed{false};

class RankSignals {
 public:
  RankSignals() noexcept;
  RankSignals(RankSignals&&) = delete;

  // Handlers may call it. Null if the rank has set none: then the process's action holds.
  const struct sigaction* action(int signal) const noexcept {
    return actions_[static_cast<std::size_t>(signal)].load(std::memory_order_acquire);  // [A1]
  }
  void set_action(int signal, const struct sigaction& action);
  // Called in handlers: does what SA_RESETHAND asks for.
  void reset_action(int signal) noexcept;

  // True if the rank handles or ignores the signal, if all its threads block it, or if one waits to
  // take it. Not in handlers.
  bool takes(int signal) noexcept;

  // A strand of the scheduler begins and ends. The kernel keeps the masks of the others.
  void add(StrandSignals& strand) noexcept;
  void remove(StrandSignals& strand) noexcept;

  // A signal for the rank as a whole, by any sender, not in a handler. True: it has become pending,
  // and the signal thread is to look.
  bool accept(const siginfo_t& info);

  // Lock by themselves.
  Pending pending;
  Timer real_time;     // alarm() and setitimer(ITIMER_REAL)
  Timer profile;       // ITIMER_PROF
  Timer virtual_time;  // ITIMER_VIRTUAL

  // The strand that runs the handler of a pending signal if no other strand waits for it, and its
  // thread-local state, which others may read.
  struct MainStrand {
    ult::Ult* ult = nullptr;
    const StrandSignals* signals = nullptr;
    int rank = -1;  // its number
  };
  MainStrand main;  // constant after begin_rank()

  // What its strands have ever blocked or waited for; those signals are kept here and not by the
  // kernel.
  std::atomic<Mask> expected{0};

 private:
  bool is_handled(int signal) const noexcept;  // or ignored
  bool is_kept(int signal) noexcept;           // pending, when it comes, or awaited
  bool is_blocked(int signal) noexcept;

  // Release [R1] with acquire [A1]: a thread that finds an action sees what it says. Never freed,
  // since a handler may look at it; a program that sets the same again and again finds it in
  // known_.
  std::array<std::atomic<const struct sigaction*>, kSignals + 1> actions_{};

  // Lock: guards the actions that a rank has ever set, which stay; held across taking memory.
  SpinLock lock_;
  std::vector<std::unique_ptr<const struct sigaction>> known_ GUARDED_BY(lock_);

  // Lock: guards which strands of the scheduler a rank has.
  SpinLock strands_lock_;
  IntrusiveList<StrandSignals> strands_ GUARDED_BY(strands_lock_);
};

struct HandlerCall;  // a handler that runs (frame.h)

struct StrandSignals : ListNode<> {  // in its rank's list while rank is set, if it is a ult
  RankSignals* rank;                 // nullptr: signals of this strand are libc's business
  bool is_ult;                       // else the kernel keeps `blocked` and `stack`
  std::atomic<Mask> blocked;         // its own to change
  stack_t stack;
  HandlerCall* innermost;            // of the handlers that it is in
  unsigned long handled;             // how many have begun
  unsigned long handled_restarting;  // and of these with SA_RESTART
};

inline Mask blocked_by(const StrandSignals& strand) noexcept {
  return strand.blocked.load(std::memory_order_relaxed);  // its own, or looked at once more later
}

// The calling strand's.
StrandSignals& strand_signals() noexcept;

// Handlers may interrupt handlers any number of times, so Standing::kHandler does not count them.
inline void set_innermost(StrandSignals& strand, HandlerCall* run) noexcept {
  strand.innermost = run;
  Standing::clear(Standing::kHandler);
  if (run != nullptr) Standing::enter(Standing::kHandler);
}

// Which handlers of the program have run in the calling strand since this was made.
class HandlersSince {
 public:
  HandlersSince() noexcept
      : handled_(strand_signals().handled), restarting_(strand_signals().handled_restarting) {}
  bool any() const noexcept { return strand_signals().handled != handled_; }
  bool all_restart() const noexcept {
    return strand_signals().handled - handled_ == strand_signals().handled_restarting - restarting_;
  }
  // True if a wait of a semaphore or futex ends with EINTR. With a deadline it does so for
  // SA_RESTART, too (Linux).
  bool end_call(bool has_deadline) const noexcept {
    return any() && (has_deadline || !all_restart());
  }

 private:
  const unsigned long handled_, restarting_;
};

}  // namespace heddle::process::signals
