// pending.h — signals of a rank that no strand has taken yet, and strands that wait for one.
//
// A signal counts once while it is pending. That holds for real-time signals, too, which a process
// would queue.
//
// Thread safety: any thread and handlers: the holder of the lock has all signals blocked.

#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/intrusive_list.h"
#include "base/platform/signals.h"
#include "base/spin_lock.h"
#include "exec/ult/wait.h"

namespace heddle::process::signals {

// The kernel's: signal n is bit n - 1.
using Mask = std::uint64_t;
constexpr int kSignals = 64;
constexpr std::size_t place_of(int signal) noexcept {
  return static_cast<std::size_t>(signal - 1);
}
constexpr Mask bit(int signal) noexcept {
  return Mask{1} << place_of(signal);
}
Mask mask_of(const sigset_t& set) noexcept;
sigset_t set_of(Mask mask) noexcept;

// While it lives, no signal interrupts the calling kernel thread.
class Uninterrupted {
 public:
  Uninterrupted() noexcept {
    platform::change_mask_of_this_thread(SIG_SETMASK, set_of(~Mask{0}), &before_);
  }
  ~Uninterrupted() { platform::change_mask_of_this_thread(SIG_SETMASK, before_, nullptr); }
  Uninterrupted(Uninterrupted&&) = delete;

 private:
  sigset_t before_{};
};

class Pending {
 public:
  // Called before the first note; in no handler.
  void prepare();

  // Gives the signal to a strand that waits to take it; else makes it pending and wakes a strand
  // that waits for it.
  void note(const siginfo_t& info) noexcept;

  // The lowest pending signal of `wanted`; 0 if none. take() also removes it and gives its siginfo.
  int first(Mask wanted) const noexcept;
  int take(Mask wanted, siginfo_t* info) noexcept;
  void drop(int signal) noexcept;
  Mask all() const noexcept { return signals_.load(std::memory_order_relaxed); }

  // What a strand in sigwait takes: a signal of `wanted` that comes meanwhile is given to it and
  // never pending.
  struct Taken {
    Mask wanted = 0;
    siginfo_t info{};       // si_signo is 0 as long as none has come
    int kernel_thread = 0;  // else it waits in the kernel, and what it takes is sent to it
  };
  // True if a strand waits to take this signal.
  bool is_awaited(int signal) noexcept;

  // Until one of `wanted` is pending (it stays so), one is taken, the deadline on CLOCK_MONOTONIC,
  // or a request. kDone: a signal. May switch.
  WaitEnd wait(Mask wanted, std::int64_t deadline_ns, ult::Interrupt* interrupt,
               Taken* taken = nullptr) noexcept;

  struct Waiting : ListNode<> {
    Mask wanted = 0;
    Taken* taken = nullptr;
    ult::Completion news;
    bool woken = false;
  };
  // For a kernel thread that waits in the kernel: it takes what is pending and what comes in
  // between.
  void begin_taking(Waiting& waiting) noexcept;
  void end_taking(Waiting& waiting) noexcept;

 private:
  // False if it could not be sent.
  bool give(const siginfo_t& info, Waiting& taker) noexcept REQUIRES(lock_);
  Waiting* find_taker(Mask signal) noexcept REQUIRES(lock_);

  // Lock: guards a rank's pending signals, and strands that wait for one; held across waking one;
  // its holder has all signals blocked.
  SpinLock lock_;
  std::atomic<Mask> signals_{0};  // written with lock_, read without
  std::unique_ptr<std::array<siginfo_t, kSignals>> infos_ GUARDED_BY(lock_);  // few ranks need any
  IntrusiveList<Waiting> waiting_ GUARDED_BY(lock_);
};

}  // namespace heddle::process::signals
