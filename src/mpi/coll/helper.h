// helper.h — the queue of what a rank has started on a communicator (started.h), and the strands
// that carry it out.
//
//   MPI_Ibarrier(a)   MPI_Ibcast(a)      MPI_Ireduce(b)
//         │                │                   │
//         ▼                ▼                   ▼
//   queue of a: [ barrier, bcast ]       queue of b: [ reduce ]
//
// One strand at a time carries out a queue, its server. It takes the operations one by one, in the
// order of the calls. More is not needed: the members call the collectives of a communicator in one
// order, and none of them is promised to end before an earlier one. And it keeps the rule of
// ticket.h: a member has one phase under way. So a blocking collective first waits until the queue
// is empty.
//
//   server                                         serves
//   ---------------------------------------------  -----------------------------------------------
//   a helper: a ult of the rank, perhaps to come   the whole queue
//   a strand that waits for the first operation    that operation; then a helper gets the rest
//   a strand that calls a blocking collective      the whole queue
//   none                                           the queue is empty, or one that is split
//
// A split-phase operation has counted in with its start. The other members have all that they
// need of this rank, so it does not matter when the rank reads the result, and no helper is woken
// for it. It becomes done
//
//   - by a strand that waits for it, or tests it when all have come (attend());
//   - by the next blocking collective of the communicator (await()), or the next start if all have
//     come (empty());
//   - by a helper, if the next start needs one, or a strand is about to wait for several requests
//     (entrust()).
//
// An intercommunicator shares the queue of its local communicator, because it uses that one's
// host group.
//
// Helpers are ults. Where the rank is a process, its kernel threads run them (exec/ult/lend.h). One
// that has no queue is idle, parked, until it gets one or end_helpers() ends it. It begins on the
// worker of the strand that needs it. When its rank has moved, it follows at its next operation.
// Where there is no memory for one, the strand that wants it serves. Its wait, or even its test,
// may then wait for other operations.
//
// Invariants
//   I1  Queue::any is set exactly while the queue has operations.
//   I2  A queue without a server is empty or is one split-phase operation.
//   I3  A server takes the last operation out and stops serving before it completes it: a strand
//       that learns of that may free the communicator.
//   I4  Each idle helper gets exactly one wake-up, by the call that takes it from the idle ones.
//
// Thread safety: any strand of the rank; add(), add_split() and await() on one communicator one
// call at a time, as the standard asks.

#pragma once

#include "base/error.h"
#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "exec/ult/strand.h"
#include "exec/ult/ult.h"
#include "mpi/coll/seat.h"
#include "mpi/coll/side.h"
#include "mpi/coll/task.h"

namespace heddle::coll {

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
  Seat* seat_ = nullptr;     // whose queue it serves
};

// The helpers of a rank.
class Helpers {
 public:
  Helpers() noexcept : rank_(*Rank::current()) {}
  ~Helpers() { end(); }
  Helpers(Helpers&&) = delete;

  // Behind all tasks of this communicator; a helper serves. False: there is no memory for the
  // helper that it needs. Then all earlier tasks are done, which may switch, and the caller
  // performs this one.
  bool add(Seat& side, Task& task) noexcept;
  // For a split-phase operation, whose run() does the rest. Requires an empty queue.
  void add_split(Seat& side, Task& task) noexcept;

  // For a strand that waits for this task: carries it out if it is the first, none serves, and
  // `may_take` says so, which is asked with the lock. True: it is complete. May switch.
  template <class MayTake>
  bool attend(Seat& side, Task& task, MayTake&& may_take) noexcept {
    {
      const SpinGuard guard(lock_);
      if (side.started.served || side.started.tasks.front() != &task) return false;
      if (!may_take()) return false;
      side.started.served = true;
    }
    serve_one(side, task);
    return true;
  }
  // For a strand that will not wait for this task alone: a helper serves, if none serves yet. May
  // switch only if there is no memory for one.
  void entrust(Seat& side, Task& task) noexcept;
  // Returns when the queue is empty. May switch.
  void await(Seat& side) noexcept;
  // If the queue is one split-phase operation, and `may_take` says that all have come, completes
  // it. True: the queue is empty.
  template <class MayTake>
  bool empty(Seat& side, MayTake&& may_take) noexcept {
    {
      const SpinGuard guard(lock_);
      if (side.started.tasks.empty()) return true;
      if (side.started.served || !may_take()) return false;
      side.started.served = true;
    }
    serve(side);
    return true;
  }

  // Fails if there are tasks.
  Error check_none();
  // Ends all helpers, once they have done their tasks; others may be made afterwards. May switch.
  void end() noexcept;

 private:
  friend class Helper;

  void put_in(Seat& side, Task& task) noexcept REQUIRES(lock_);
  // Called when the task has run. If it was the last, there is no server any more.
  void take_out_locked(Seat& side, Task& task) noexcept REQUIRES(lock_);
  // Takes the lock and takes the task out. False: it was the last.
  bool take_out(Seat& side, Task& task) noexcept;
  // This strand, the server, carries out one task, and leaves the rest to a helper; or all.
  void serve_one(Seat& side, Task& task) noexcept;
  void serve(Seat& side) noexcept;
  Task& first_of(Seat& side) noexcept;

  // A helper serves from now on. False: there is no memory for one.
  bool give(Seat& side) noexcept;
  bool give_to_new(Seat& side) noexcept;

  // Runs on the helper.
  void serve_all(Helper& helper) noexcept;
  Task* next_of(Helper& helper) noexcept;
  // True: that was the last task, and the helper is idle.
  bool finish(Helper& helper, Task& task) noexcept;

  // For end(): the next idle helper, which no longer is; all helpers.
  Helper* next_idle() noexcept;
  Helper* take_all() noexcept;

  Rank& rank_;
  // Lock: guards a rank's queues of started collectives, which strands serve them, and its idle
  // helpers; never held across a switch.
  SpinLock lock_;
  IntrusiveList<Seat, BusySeats> busy_ GUARDED_BY(lock_);  // whose queues are not empty
  Helper* youngest_ GUARDED_BY(lock_) = nullptr;
  IntrusiveList<Helper> idle_ GUARDED_BY(lock_);
  bool ending_ GUARDED_BY(lock_) = false;
};

extern const RankLocal<Helpers> helpers_of_rank;

// Waits until all that the calling rank has started on the communicator is done. May switch.
inline void await_started(comm::Comm& comm) noexcept {
  Seat& side = Seat::of(side_of(comm));
  // acquire: what the server did is done (Helpers::take_out).
  if (side.started.any.load(std::memory_order_acquire)) [[unlikely]]
    helpers_of_rank.get().await(side);
}

// Fails if a started collective of the calling rank is under way.
Error check_helpers_idle();
void end_helpers() noexcept;

}  // namespace heddle::coll
