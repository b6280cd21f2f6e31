// thread_record.h — the threads of a rank, beside its main strand: ults and kernel threads.
//
//   state      meaning                                          leaves by
//   ---------  -----------------------------------------------  -------------------------------
//   starting   pthread_create has not told its caller the id    publish
//   running                                                     end
//   over       its destructors have run; `ended` is set         join, detach, or by itself when
//                                                               it is detached
//
// A thread that was detached and is over has no owner: its record waits in a list for the next
// strand that makes a thread (reap), because a ult cannot free itself.
//
// Invariants
//   I1  A record is in its rank's list from before the thread begins until join, detach or its own
//       end takes it out; the thread that takes it out frees it, after `published`.
//   I2  live() counts threads that may still run code of the program.
//
// Memory order: [R1] release pairs with [A1] acquire: a thread that sees the last one gone sees
// what the threads wrote.
// Thread safety: any strand.

#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/process/threads/thread_entry.h"
#include "exec/rank/rank.h"
#include "exec/ult/completion.h"
#include "exec/ult/interrupt.h"
#include "exec/ult/ult.h"

namespace heddle::process {

struct Thread : ListNode<> {
  // Constant when the thread begins.
  Rank* rank = nullptr;
  int number = 0;           // 1, 2, 3 … in its rank, for reports
  ult::Ult* ult = nullptr;  // nullptr: a kernel thread
  ThreadEntry entry = {};

  // The thread's until it is over.
  void* result = PTHREAD_CANCELED;
  bool keys_have_ended = false;  // a kernel thread's: destructors of keys have had a round

  // Guarded by the lock of Threads.
  int worker = -1;  // of a ult: where it is, or goes
  pthread_t id = 0;
  bool published = false;
  bool detached = false;
  bool joining = false;
  bool begun = false;  // its ult may be told to move
  bool over = false;
  std::array<char, 16> name{};

  std::atomic<bool> canceled{false};  // a thread asked for it
  ult::Completion ended;
  ult::Interrupt interrupt;  // requested when it is cancelled
};

class Threads {
 public:
  Threads() noexcept;
  ~Threads();
  Threads(Threads&&) = delete;

  // Lock: guards the threads of one rank; held across libc's `pthread_cancel` and the wake-up of
  // the thread that is cancelled, and a fork.
  SpinLock lock;

  // Registers a thread that will begin.
  void add(Thread& thread) noexcept;
  // Chooses the worker of a thread that will be a ult: not `kept`, which is -1, or where a strand
  // keeps its worker. Requires another worker.
  int place(Thread& thread, int kept) noexcept;
  // The main strand goes to another worker, and all threads that are ults follow it.
  void move(int worker) noexcept;
  // Undoes add(): the thread has not begun after all.
  void drop(Thread& thread) noexcept;

  // The first step of a ult thread, perhaps long before publish(). From here on find() knows its
  // id.
  void begin(Thread& thread) noexcept;

  // pthread_create is about to return `id`. A record whose thread is over and detached is freed.
  void publish(Thread& thread, pthread_t id) noexcept;

  // The thread's last use of its record, which may be gone afterwards.
  void end(Thread& thread) noexcept;

  // Takes out and frees a record that is over, with its ult.
  void free(Thread& thread) noexcept;

  // Under `lock`. Returns the youngest with this id, since libc uses the ids of ended threads
  // again.
  Thread* find(pthread_t id) noexcept;

  // 0: it is none of them.
  int number_of(const ult::Ult& ult) noexcept;

  int live() const noexcept { return live_.load(std::memory_order_acquire) - 1; }  // [A1]

  // Called in the child of a fork: the calling strand is the only one, and counts as the main
  // strand.
  void become_child() noexcept;

  // There is one strand fewer: a thread has ended, or the main strand is in pthread_exit.
  void leave() noexcept {
    if (live_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_ended_.set();  // [R1]
  }
  // Called by the main strand after leave(): waits for the threads. Then the strand is counted
  // again, since it goes on with the rank's end, whose handlers may make new threads. May switch.
  void await_all() noexcept {
    all_ended_.wait();
    all_ended_.reset();
    live_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  int choose_worker(int kept) noexcept;
  void forget_place(const Thread& thread) noexcept;

  std::atomic<int> live_{1};  // with the main strand
  ult::Completion all_ended_;

  // Guarded by `lock`.
  int home_;  // the main strand's worker
  int numbers_ = 0;
  IntrusiveList<Thread> threads_;
  std::vector<int> on_worker_;  // threads of the rank that have not ended
};

// True in the child of a fork for the strand that has forked, if that was a ult. libc then knows no
// thread that could end by its pthread_exit.
bool leads_child() noexcept;

// Frees the records of detached threads that are over. May switch.
void reap() noexcept;

// Ult threads of all ranks that may still run.
int live_ult_threads() noexcept;

}  // namespace heddle::process
