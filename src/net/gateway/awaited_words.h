// awaited_words.h — words in memory that processes of a node share, and the strands of this host
// that wait until such a word has counted up to a number.
//
//   writer   stores the number [W]; wakes the hosts where strands may wait (Transport::wake_host);
//            look(), for strands of its own host
//   waiter   spins for a moment; lists itself [S]; looks once more; parks
//   poll()   looks at the words of all that are listed, and wakes those whose number is there
//
// [W] is seq_cst, as is what a waiter does at [S]: a strand that lists itself finds the number, or
// the look that follows it finds the strand. A thread that sleeps in the kernel has polled before
// (base/platform/bell.h). models/awaited_words.pml checks it.
//
// Most hosts have none of this: the first wait makes it a poller.
//
// Thread safety: any thread; wait() any strand.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/ult/completion.h"
#include "exec/ult/poller.h"

namespace heddle::gateway {

class AwaitedWords final : public ult::Poller {
 public:
  AwaitedWords() = default;
  ~AwaitedWords() override;  // no strand waits

  // Returns when the word has come to the number, and what was written before it is seen. May
  // switch.
  void wait(const ult::AwaitedCount& count) noexcept;

  // Called after a store [W], for strands of this host.
  void look() noexcept {
    if (listed_.load(std::memory_order_seq_cst) != 0) look_at_all();
  }

  bool poll(int worker, ult::PollEffort effort) noexcept override;

 private:
  struct Waiter : ListNode<> {
    explicit Waiter(const ult::AwaitedCount& awaited) noexcept : count(awaited) {}
    const ult::AwaitedCount count;
    ult::Completion reached;
  };
  using Waiters = IntrusiveList<Waiter>;

  void enlist(Waiter& waiter) noexcept;
  void look_at_all() noexcept;
  // Moves those whose number is there from the list to another one.
  void take_reached(Waiters& reached) noexcept REQUIRES(lock_);
  static bool wake(Waiters& reached) noexcept;

  std::atomic<bool> is_poller_{false};
  // How many are in the list; written with the lock.
  std::atomic<int> listed_{0};
  // Lock: guards the strands of a host that wait for words of shared memory; held across a look at
  // each word.
  SpinLock lock_;
  Waiters waiters_ GUARDED_BY(lock_);
};

}  // namespace heddle::gateway
