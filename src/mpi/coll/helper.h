// helper.h — strands of a rank that carry out the collectives which it has started (started.h).
//
// They are ults. Where the rank is a process, its kernel threads run them (exec/ult/lend.h).
//
//   MPI_Ibarrier(a)   MPI_Ibcast(a)      MPI_Ireduce(b)
//         │                │                   │
//         ▼                ▼                   ▼
//   helper 1: [ barrier on a, bcast on a ]   helper 2: [ reduce on b ]   idle: helper 3
//
// A communicator with tasks has one helper, which takes them one by one in the order of the calls. It need
// not do more: the members call the collectives of a communicator in one order, and none of them is promised
// to end before an earlier one. It also keeps the rule of ticket.h: a member has one turn under way.
// So a blocking collective first waits until the helper is through.
//
// An intercommunicator shares the helper of its local communicator, because it uses that one's meeting.
//
//   a helper is   leaves by
//   ------------  -------------------------------------------------------------------------
//   busy          end of its last task: it parts from the communicator and is idle
//   idle, parked  add(), which gives it a communicator; end_helpers(), which ends it
//
// Invariants
//   I1  Seat::helper of a communicator is set exactly while its helper has tasks.
//   I2  A helper has parted from the communicator before it completes its last task: a strand that learns
//       of that may free the communicator.
//   I3  Each idle helper gets exactly one wake-up, by the call that takes it from the idle ones.
//
// A helper begins on the worker of the strand that needs it. When its rank has moved, it follows at its next task.
//
// Thread safety: any strand of the rank; on one communicator one call at a time, as the standard asks.

#pragma once

#include "base/error.h"
#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "exec/ult/strand.h"
#include "exec/ult/ult.h"
#include "mpi/coll/seat.h"
#include "mpi/coll/side.h"

namespace heddle::coll {

// What a helper carries out. It stays until complete() is called.
class Task : public ListNode<> {
 public:
  virtual void run() noexcept = 0;  // may switch
  // The helper does not touch the task afterwards.
  virtual void complete() noexcept = 0;
  // What MPI_Finalize says that finds it under way.
  virtual Error refuse_to_end() const = 0;

 protected:
  ~Task() = default;
};

class Helpers;

class Helper : public ListNode<> {
 public:
  explicit Helper(Helpers& pool) noexcept;

 private:
  friend class Helpers;

  static void main(void* helper);
  // False: there is no memory for a ult, or no scheduler and no way to do without one.
  bool begin() noexcept;
  // Goes where the rank has gone since the last look.
  void follow_rank() noexcept;

  Helpers& pool_;
  ult::Ult* ult_ = nullptr;        // set by its spawn
  ult::Strand* strand_ = nullptr;  // set when it begins
  int worker_of_rank_;             // at its last look; the helper only, once it has begun
  // Guarded by the pool's lock.
  Helper* older_ = nullptr;  // all of the pool
  Seat* seat_ = nullptr;     // of its communicator
  IntrusiveList<Task> tasks_;
};

// Those of a rank.
class Helpers {
 public:
  Helpers() noexcept : rank_(*Rank::current()) {}
  ~Helpers() { end(); }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // Behind all tasks of this communicator. False, and nothing has happened, if that needs one more helper and there is
  // no memory for it; then the communicator has no tasks.
  bool add(Seat& side, Task& task) noexcept;
  // The same, if it has tasks; else it returns false.
  bool add_if_busy(Seat& side, Task& task) noexcept;

  // Fails if there are tasks.
  Error check_idle();
  // Ends all, once they have done their tasks. May switch.
  void end() noexcept;

 private:
  friend class Helper;

  bool add_to_free(Seat& side, Task& task) noexcept;
  bool add_to_new(Seat& side, Task& task) noexcept;
  static void give(Helper& helper, Seat& side, Task& task) noexcept;
  static void part(Helper& helper) noexcept;

  // On the helper. finish() returns true if it was the last task, and the helper is idle.
  void serve(Helper& helper) noexcept;
  Task* first_of(Helper& helper) noexcept;
  bool finish(Helper& helper, Task& task) noexcept;

  // For end(): the next idle helper, which no longer is; all helpers.
  Helper* next_idle() noexcept;
  Helper* take_all() noexcept;

  Rank& rank_;
  // Lock: guards a rank's helpers: their queues of started collectives, and which are idle.
  SpinLock lock_;
  Helper* youngest_ GUARDED_BY(lock_) = nullptr;
  IntrusiveList<Helper> idle_ GUARDED_BY(lock_);
  bool ending_ GUARDED_BY(lock_) = false;
};

extern const RankLocal<Helpers> helpers_of_rank;

// Waits until all that the calling rank has started on the communicator is done. May switch.
void await_helper(Seat& side) noexcept;
inline void await_started(comm::Comm& comm) noexcept {
  Seat& side = Seat::of(side_of(comm));
  // acquire: what the helper did is done (Helpers::finish).
  if (side.helper.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    await_helper(side);
}

// Of the calling rank.
inline bool add_task(comm::Comm& comm, Task& task) {
  return helpers_of_rank.get().add(Seat::of(side_of(comm)), task);
}
Error check_helpers_idle();
void end_helpers() noexcept;

}  // namespace heddle::coll
