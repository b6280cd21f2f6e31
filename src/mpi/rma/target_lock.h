// target_lock.h — the lock of one member's window memory (MPI_Win_lock), and the count of those
// that have locked all members' (MPI_Win_lock_all), in the process of these members.
//
// A TargetLock is one word and a queue. Bits of the word: exclusive, queued, number of sharers.
//
//   mode        is taken when                   and then
//   ----------  ------------------------------  ------------------------------------------------
//   kShared     there is no exclusive holder    counts as a sharer
//   kExclusive  there is no holder              is the exclusive holder
//   kPass       there is no exclusive holder    takes nothing: its caller has locked all
//
// The first attempt is one atomic operation. A strand that fails queues itself and parks. While
// `queued` is set, each unlock looks at the queue, and a newcomer that would share queues behind
// those that wait, so that an exclusive one gets its turn.
//
//   unlock finds            and
//   ----------------------  --------------------------------------------------------------------
//   a front that lost less  wakes it; the strand tries again, and another may be faster. So a lock
//   than kPatience times    that is taken for a short time is not handed from worker to worker,
//                           each time with a switch
//   another front           gives it the lock
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
// Memory order: the strand that gets the lock sees what its holders before wrote.
// Thread safety: any strand.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.h"
#include "base/platform/cpu.h"
#include "base/spin_lock.h"
#include "exec/ult/completion.h"

namespace heddle::rma {

enum class LockMode : std::uint8_t { kShared, kExclusive, kPass };

// What waits here: a strand, or a rank of another process (service.h), which gets the lock when it
// is woken.
class LockWaiter : public ListNode<> {
 public:
  // It is in no queue any more. May end the waiter. Called without a lock.
  virtual void wake() noexcept = 0;

 protected:
  LockWaiter(LockMode its_mode, bool is_remote) noexcept : mode(its_mode), remote(is_remote) {}
  ~LockWaiter() = default;

 private:
  friend class TargetLock;

  const LockMode mode;
  const bool remote;
  int lost = 0;          // how often another strand was faster
  bool granted = false;  // written before it is woken
};

class alignas(platform::kCacheLine) TargetLock {
 public:
  TargetLock() = default;
  TargetLock(const TargetLock&) = delete;
  TargetLock& operator=(const TargetLock&) = delete;

  // False: it is taken, or others wait for it.
  bool try_lock(LockMode mode) noexcept { return try_lock(mode, kQueued); }
  // Waits for the lock. May switch.
  void lock_slow(LockMode mode) noexcept;
  // For a remote waiter: true if it has the lock, else it will be woken with it.
  bool lock_or_queue(LockWaiter& waiter) noexcept {
    return try_lock(waiter.mode, kQueued) || !queue_up(waiter);
  }
  // Not for kPass.
  void unlock(LockMode mode) noexcept {
    const std::uint32_t part = mode == LockMode::kExclusive ? kExclusive : 1;
    const std::uint32_t before = word_.fetch_sub(part, std::memory_order_acq_rel);
    if ((before & kQueued) != 0) [[unlikely]]
      look_at_queue();
  }
  // The rank that has the lock alone, for reports; it says so itself.
  void note_holder(int rank) noexcept { holder_.store(rank, std::memory_order_relaxed); }
  int holder() const noexcept { return holder_.load(std::memory_order_relaxed); }

  bool is_exclusive() const noexcept {
    // seq_cst: [D2].
    return (word_.load(std::memory_order_seq_cst) & kExclusive) != 0;
  }

 private:
  static constexpr std::uint32_t kExclusive = 1U << 31;
  static constexpr std::uint32_t kQueued = 1U << 30;
  static constexpr int kPatience = 8;

  // `respected`: kQueued if the caller must not overtake those that wait, 0 if it was one of them.
  bool try_lock(LockMode mode, std::uint32_t respected) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_seq_cst);
    for (;;) {
      const std::uint32_t hinders = mode == LockMode::kExclusive ? ~kQueued
                                    : mode == LockMode::kShared  ? kExclusive | respected
                                                                 : kExclusive;
      if ((seen & hinders) != 0) return false;
      if (mode == LockMode::kPass) return true;
      const std::uint32_t wanted = mode == LockMode::kExclusive ? seen | kExclusive : seen + 1;
      // seq_cst: [D1].
      if (word_.compare_exchange_weak(seen, wanted, std::memory_order_seq_cst)) return true;
    }
  }
  bool queue_up(LockWaiter& waiter) noexcept;
  void look_at_queue() noexcept;
  LockWaiter* take_front(bool* more) noexcept;

  std::atomic<std::uint32_t> word_{0};
  std::atomic<int> holder_{-1};
  // Lock: guards the queue of one member's window lock, and that `queued` is set if it has any.
  SpinLock queue_lock_;
  IntrusiveList<LockWaiter> queue_ GUARDED_BY(queue_lock_);
};

// How many strands have locked all members of a window.
class alignas(platform::kCacheLine) AllLock {
 public:
  AllLock() = default;
  AllLock(const AllLock&) = delete;
  AllLock& operator=(const AllLock&) = delete;

  void enter() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }  // [D2]
  void leave() noexcept {
    const std::uint32_t before = count_.fetch_sub(1, std::memory_order_acq_rel);
    if (before == (kAwaited | 1)) [[unlikely]]
      wake();
  }
  bool is_taken() const noexcept {
    // seq_cst: [D1].
    return (count_.load(std::memory_order_seq_cst) & ~kAwaited) != 0;
  }
  // Returns when all have left. May switch.
  void wait() noexcept;
  // True if all have left, else the waiter will be woken when they have.
  bool left_or_queue(LockWaiter& waiter) noexcept;

 private:
  static constexpr std::uint32_t kAwaited = 1U << 31;

  void wake() noexcept;

  std::atomic<std::uint32_t> count_{0};
  // Lock: guards those that wait until a window's lock_all epochs have ended.
  SpinLock queue_lock_;
  IntrusiveList<LockWaiter> queue_ GUARDED_BY(queue_lock_);
};

}  // namespace heddle::rma
