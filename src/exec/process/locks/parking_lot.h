// parking_lot.h — where strands wait for something at an address: the queues of mutexes, condition
// variables, semaphores and futexes, whose own storage is the program's and has no room for one.
//
//   address ── hash ──► bucket: lock, number of waiters, queue of Waiters (of all its addresses)
//
//   a Waiter   who               by
//   ---------  ----------------  ------------------------------------------------------------
//   queued     its strand        Bucket::queue, under the lock
//   taken      a waker           Bucket::take, under the lock; `completion` is set after it
//   withdrawn  its strand        a deadline or an alert (ult/alert.h), under the lock
//
// No wake-up may be lost. A releaser frees a word (a mutex's, for example) by an operation that
// knows nothing of the lot, and then asks whether there are waiters. A waiter announces itself and
// then looks at the word. One of the two must see the other:
//
//   releaser                          waiter
//   word = free                       ++bucket.waiters
//   fence [F1]                        fence [F2]
//   bucket.waiters != 0 ? take, wake  word == free ? withdraw and take it : park
//
// seq_cst fences [F1], [F2] order the word and `waiters`: in the single order of fences one comes
// first, and what stands before it is seen by what stands after the other.
//
// Invariants
//   I1  `waiters` is the length of the queue; both change under the lock, the count is also read
//       without it.
//   I2  A Waiter that was taken is set exactly once, and its strand does not leave before that.
//   I3  Wakers never touch the memory at the address: it may be gone when the waiter has left.
//   I4  Waiters of one address are taken in the order in which they came.
//
// Memory order: a waiter that was taken sees what its waker wrote before (Completion [R2]).
// Thread safety: any strand, kernel thread or ult. Nothing under a bucket's lock switches.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.h"
#include "base/platform/futex.h"
#include "base/spin_lock.h"
#include "exec/ult/completion.h"

namespace heddle::process {

constexpr std::int64_t kNever = platform::kNever;

// A strand that waits; on the waiting strand's stack.
struct Waiter : ListNode<> {
  explicit Waiter(const void* address, bool wakes_next = true) noexcept
      : key(address), passes_on(wakes_next) {}
  // Makes a waiter that has counted itself in, under the bucket's lock; it counts itself out if it
  // withdraws. It wakes no other one.
  Waiter(const void* address, std::uint32_t* counter) noexcept
      : key(address), passes_on(false), counted_in(counter) {}

  const void* const key;
  // If its rank is over when it is woken, the strand stands still. True: it then wakes the next
  // waiter in its place. False for waiters of a barrier, which are all woken.
  const bool passes_on;
  std::uint32_t* const counted_in = nullptr;
  bool queued = false;  // guarded by the bucket's lock
  ult::Completion completion;

  // Takes it out of its queue. Returns false if a waker has taken it.
  bool withdraw() noexcept;
};

// Waiters that were taken and not woken yet. They are woken when no lock is held any more.
class Taken {
 public:
  Taken() = default;
  Taken(Taken&&) = delete;
  ~Taken() { wake(); }

  void push(Waiter& waiter) noexcept { waiters_.push_back(waiter); }

  void wake() noexcept {
    while (Waiter* waiter = waiters_.pop_front()) waiter->completion.set();  // it may be gone now
  }

 private:
  IntrusiveList<Waiter> waiters_;
};

class alignas(64) Bucket {
 public:
  // The bucket of an address, always the same.
  static Bucket& of(const void* key) noexcept;

  // Lock: guards the waiters of some addresses: mutexes, condition variables, futexes of programs;
  // held across libc's trylock; no strand is woken under it; new in a child of fork.
  SpinLock lock;

  void queue(Waiter& waiter) noexcept REQUIRES(lock);
  // Puts it first among the waiters of its address: for a waiter that was woken and came too late.
  void queue_in_front(Waiter& waiter) noexcept REQUIRES(lock);

  // Returns false if a waker has taken it.
  bool withdraw(Waiter& waiter) noexcept REQUIRES(lock);

  // Takes at most `count` waiters of `key`, in their order. Returns how many.
  int take(const void* key, int count, Taken* out) noexcept REQUIRES(lock);

  // Called without the lock by a thread that has released a word before: true if a strand may wait
  // here.
  bool has_waiters() const noexcept {
    // seq_cst orders the released word and `waiters_` [F1].
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return waiters_.load(std::memory_order_relaxed) != 0;
  }

 private:
  void announce(Waiter& waiter) noexcept REQUIRES(lock);

  std::atomic<int> waiters_{0};  // written with lock, read without
  IntrusiveList<Waiter> queue_ GUARDED_BY(lock);
};

// Says whether a wait is one of POSIX's cancellation points: such a wait ends when the thread is
// cancelled (exec/process/sleep/cancellation.h), unless it was woken before, so that no wake-up is
// lost.
enum class Cancels : bool { kNo, kYes };

// Waits for `completion`, at most until the deadline on CLOCK_MONOTONIC; answers alerts meanwhile.
// May switch.
WaitEnd wait_until(ult::Completion& completion, std::int64_t deadline_ns,
                   Cancels cancels = Cancels::kNo) noexcept;

// Waits for a queued Waiter to be taken. If the wait ends otherwise, the Waiter is out of the
// queue. kAlerted: handlers of signals may have run since. Called without the bucket's lock. May
// switch.
WaitEnd wait_until(Waiter& waiter, std::int64_t deadline_ns,
                   Cancels cancels = Cancels::kNo) noexcept;

// Queues and waits unless `came_true()`, called under the bucket's lock after the announcement,
// says that there is no need: then returns kNot. May switch.
template <class Condition>
WaitEnd wait_unless(const void* key, Condition came_true, std::int64_t deadline_ns = kNever,
                    bool in_front = false, Cancels cancels = Cancels::kNo) noexcept {
  Waiter waiter(key);
  Bucket& bucket = Bucket::of(key);
  {
    SpinGuard guard(bucket.lock);
    in_front ? bucket.queue_in_front(waiter) : bucket.queue(waiter);
    if (came_true()) {
      bucket.withdraw(waiter);
      return WaitEnd::kNot;
    }
  }
  return wait_until(waiter, deadline_ns, cancels);
}

// Wakes at most `count` waiters of `key`; cheap when there is none. Returns how many.
int wake(const void* key, int count) noexcept;

}  // namespace heddle::process
