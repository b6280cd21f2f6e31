// bell.h — a word in memory that processes share, on which one thread sleeps until another process
// has work for it.
//
//   who      does                                                       looks then at
//   -------  ---------------------------------------------------------  --------------------
//   sleeper  begin(): asleep_ = 1                                  [S]  all places of work
//            nothing there: sleep()
//            end(): asleep_ = 0
//   ringer   puts work into its place                              [W]
//            ring_if_awaited(): asleep_ is 1: sets it to 0, rings       asleep_
//
// Either the sleeper finds the work or the ringer finds the sleeper: both write one variable and
// read the other, and all four accesses are seq_cst. So a place of work is written and read in that
// order, too.
//
// A sleeper whose deadline ends the sleep may count that as a ring, before anything else that it
// does: then a number of rings that stays says that no thread has gone on
// (runtime/judge/deadlock_between.h).
//
// A ring between begin() and sleep() is not lost: rings_ has changed, and sleep() returns at once.
//
// Zeroed memory is a bell that has not rung. Thread safety: one thread at a time sleeps; any thread
// of any process rings.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform/cpu.h"
#include "base/platform/futex.h"

namespace heddle::platform {

class alignas(kCacheLine) Bell {
 public:
  // Announces a sleeper, which then looks once more; pass the result to sleep(). It sees what was
  // written before the rings so far. May be called again without end().
  std::uint32_t begin() noexcept {
    const std::uint32_t rings = rings_.load(std::memory_order_acquire);  // pairs with ring()
    asleep_.store(1, std::memory_order_seq_cst);                         // [S]
    return rings;
  }
  // Returns when the bell has rung since begin(), at the deadline, or early.
  void sleep(std::uint32_t rings, std::int64_t deadline_ns) noexcept {
    futex_wait_shared(rings_, rings, deadline_ns);
  }
  // True if it has rung since begin().
  bool has_rung(std::uint32_t rings) const noexcept {
    return rings_.load(std::memory_order_acquire) != rings;  // pairs with ring()
  }
  // release: a ringer that finds it not announced any more has its ring_for_itself() before that.
  void end() noexcept { asleep_.store(0, std::memory_order_release); }

  // How often it has rung. Any thread.
  std::uint32_t rings() const noexcept { return rings_.load(std::memory_order_seq_cst); }

  // Called after work was put into its place by a seq_cst store [W].
  void ring_if_awaited() noexcept {
    if (asleep_.load(std::memory_order_seq_cst) != 0) ring();
  }
  void ring() noexcept {
    asleep_.store(0, std::memory_order_relaxed);  // one call is enough
    rings_.fetch_add(1, std::memory_order_release);
    futex_wake_shared(rings_);
  }
  // By another thread of the sleeper's process, or by the sleeper itself: it stays announced until
  // it has woken up, so another process that puts work into its place meanwhile rings.
  void ring_for_itself() noexcept {
    rings_.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_shared(rings_);
  }

 private:
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> asleep_{0};
};

}  // namespace heddle::platform
