// target_lock.h — the lock of one member's window memory (MPI_Win_lock), and the count of those
// that have locked all members' (MPI_Win_lock_all).
//
// Each is a word, and queues of what waits. All strands reach the word that can: those of the
// member's process, or of all processes that map the window (words.h). The queue of a lock is in
// the member's process; those that wait for the count do so in queues of their own processes.
//
// Bits of a lock's word: exclusive, queued, called, closed, number of sharers.
//
//   mode        is taken when                   and then
//   ----------  ------------------------------  ------------------------------------------------
//   kShared     there is no exclusive holder    counts as a sharer
//   kExclusive  there is no holder              is the exclusive holder
//   kPass       there is no exclusive holder    takes nothing: its caller has locked all
//
// The first attempt is one atomic operation. A strand that fails queues itself and parks. While
// `queued` is set, each unlock has the queue looked at, and a newcomer that would share queues
// behind those that wait, so that an exclusive one gets its turn.
//
//   a look finds            and
//   ----------------------  --------------------------------------------------------------------
//   a front that lost less  wakes it; the strand tries again, and another may be faster. So a lock
//   than kPatience times    that is taken for a short time is not handed from worker to worker,
//                           each time with a switch
//   another front           gives it the lock
//   the lock taken          leaves it: the holder's unlock has the queue looked at again. A front
//                           without patience closes the lock to newcomers until it has it
//
// The strand that unlocks looks itself if the queue is in its process. Else it sets `called` and
// sends a packet to that process, which clears `called` and looks (mapped.h). If `called` was set,
// a look is on its way: it will see this unlock, too [C1].
//
// An exclusive holder and strands that have locked all exclude each other by two words: each writes
// its own and then reads the other's. The exclusive one yields:
//
//   exclusive                                  all
//   ----------------------------------------   ---------------------------------------
//   sets `exclusive` [D1]                      counts itself [D2]
//   the count is 0? has the lock               each member without `exclusive`? has all
//   else unlocks, waits for the count, again   else waits until the holder unlocks
//
// [D1], [D2] and the reads behind them are seq_cst: one of the two sees the other.
//
// The last one that leaves clears `awaited`, and then wakes what waits for the count in all
// processes. A waiter sets `awaited` and queues itself under its queue's lock, so that the wake
// after each clearing finds it [C2]. What was woken in vain waits again.
//
// Memory order: the strand that gets the lock sees what its holders before wrote.
// Thread safety: any strand.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.h"
#include "base/platform/cpu.h"
#include "base/spin_lock.h"

namespace heddle::rma {

enum class LockMode : std::uint8_t { kShared, kExclusive, kPass };

// The word of a lock. All bits are 0 at first.
class alignas(platform::kCacheLine) TargetLock {
 public:
  // False: it is taken, or others wait for it.
  bool try_lock(LockMode mode) noexcept {
    return try_unless(mode == LockMode::kExclusive ? kHinderAlone | kClosed
                      : mode == LockMode::kShared  ? kExclusive | kQueued
                                                   : kExclusive,
                      mode);
  }
  // For what has waited: overtakes those that wait.
  bool try_again(LockMode mode) noexcept { return try_unless(hindering(mode), mode); }
  // Not for kPass. True: the queue must be looked at.
  [[nodiscard]] bool unlock(LockMode mode) noexcept {
    const std::uint32_t part = mode == LockMode::kExclusive ? kExclusive : 1;
    return (word_.fetch_sub(part, std::memory_order_acq_rel) & kQueued) != 0;
  }

  // In another process than the queue: true if the caller must call the queue's process.
  bool call() noexcept {
    return (word_.fetch_or(kCalled, std::memory_order_acq_rel) & kCalled) == 0;  // [C1]
  }
  // There, before it looks.
  void answer_call() noexcept { word_.fetch_and(~kCalled, std::memory_order_acq_rel); }  // [C1]

  // The rank that has the lock alone, for reports; it says so itself. -1: none.
  void note_holder(int rank) noexcept { holder_.store(rank + 1, std::memory_order_relaxed); }
  int holder() const noexcept { return holder_.load(std::memory_order_relaxed) - 1; }

  bool is_exclusive() const noexcept {
    // seq_cst: [D2].
    return (word_.load(std::memory_order_seq_cst) & kExclusive) != 0;
  }

 private:
  friend class LockQueue;

  static constexpr std::uint32_t kExclusive = 1U << 31, kQueued = 1U << 30, kCalled = 1U << 29,
                                 kClosed = 1U << 28;
  static constexpr std::uint32_t kHinderAlone = ~(kQueued | kCalled | kClosed);

  static constexpr std::uint32_t hindering(LockMode mode) noexcept {
    return mode == LockMode::kExclusive ? kHinderAlone : kExclusive;
  }
  bool try_unless(std::uint32_t hinders, LockMode mode) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_seq_cst);
    for (;;) {
      if ((seen & hinders) != 0) return false;
      if (mode == LockMode::kPass) return true;
      const std::uint32_t wanted = mode == LockMode::kExclusive ? seen | kExclusive : seen + 1;
      // seq_cst: [D1].
      if (word_.compare_exchange_weak(seen, wanted, std::memory_order_seq_cst)) return true;
    }
  }

  std::atomic<std::uint32_t> word_;
  std::atomic<int> holder_;
};

// What waits in a queue: a strand, or a rank of another process (remote_waiters.h).
class LockWaiter : public ListNode<> {
 public:
  // It is in no queue any more. May end the waiter. True: it has given the lock back meanwhile, so
  // the lock's queue must be looked at again. Called without a lock.
  [[nodiscard]] virtual bool wake() noexcept = 0;

 protected:
  // `lost`: how often its strand has tried in vain since it was woken. `must_have`: it is woken
  // with the lock only.
  LockWaiter(LockMode mode, int lost, bool must_have) noexcept
      : mode_(mode), must_have_(must_have), returns_(lost > 0), lost_(lost) {}
  ~LockWaiter() = default;

  bool has_lock() const noexcept { return has_lock_; }

 private:
  friend class LockQueue;

  const LockMode mode_;
  const bool must_have_, returns_;
  int lost_;               // guarded by the queue
  bool has_lock_ = false;  // written before it is woken
};

// What waits for a lock, in the process of its member.
class LockQueue {
 public:
  LockQueue() = default;
  LockQueue(LockQueue&&) = delete;

  // False: the waiter has the lock. Else it will be woken.
  bool queue_up(TargetLock& lock, LockWaiter& waiter) noexcept;
  // Waits in the queue. True: the strand has the lock; else it must try again. May switch.
  bool wait(TargetLock& lock, LockMode mode, int lost) noexcept;
  // Wakes what may go on.
  void look(TargetLock& lock) noexcept;

 private:
  static constexpr int kPatience = 8;

  LockWaiter* take_front(TargetLock& lock, bool* more) noexcept;

  // Lock: guards the queue of one member's window lock, and that `queued` is set if it has any.
  SpinLock lock_;
  IntrusiveList<LockWaiter> queue_ GUARDED_BY(lock_);
};

// How many strands have locked all members of a window. 0 at first.
class alignas(platform::kCacheLine) AllLock {
 public:
  void enter() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }  // [D2]
  // True: what waits must be woken, after end_waits().
  [[nodiscard]] bool leave() noexcept {
    return count_.fetch_sub(1, std::memory_order_acq_rel) == (kAwaited | 1);
  }
  void end_waits() noexcept { count_.fetch_and(~kAwaited, std::memory_order_acq_rel); }  // [C2]
  bool is_taken() const noexcept {
    // seq_cst: [D1].
    return (count_.load(std::memory_order_seq_cst) & ~kAwaited) != 0;
  }

 private:
  friend class AllQueue;

  static constexpr std::uint32_t kAwaited = 1U << 31;

  std::atomic<std::uint32_t> count_;
};

// What waits in one process until all have left.
class AllQueue {
 public:
  AllQueue() = default;
  AllQueue(AllQueue&&) = delete;

  // True if all have left, else the waiter will be woken, perhaps in vain.
  bool left_or_queue(AllLock& all, LockWaiter& waiter) noexcept;
  // May switch.
  void wait(AllLock& all) noexcept;
  void wake() noexcept;

 private:
  // Lock: guards those that wait until a window's lock_all epochs have ended.
  SpinLock lock_;
  IntrusiveList<LockWaiter> queue_ GUARDED_BY(lock_);
};

}  // namespace heddle::rma
