// remote_waiters.h — what waits for locks of this process's members on behalf of strands of other
// processes. It has no strand here: woken, it goes on in the strand that wakes it, and answers.
//
//   RemoteTry      of a window that processes map: waits once in the queue of a lock. Its strand
//                  reaches the lock's word itself, and is told that it has the lock, or may try
//                  again
//   RemoteLock     of another window: is woken with the lock only, and does all that a strand here
//                  would
//   LockedAccess   one that does an access with the lock, before it answers (locked_access.h)
//
// Each holds the window's part, and ends with its answer.
//
// Thread safety: one thread at a time: the one that made it, or woke it. None switches.

#pragma once

#include <utility>

#include "mpi/rma/answer.h"
#include "mpi/rma/packets.h"
#include "mpi/rma/part.h"

namespace heddle::rma {

// A window's part, until the strand that asks is answered.
struct Held {
  gateway::Gateway& gateway;
  const Asker asker;
  Part& part;

  void answer(int status) const noexcept {
    send_answer(gateway, asker, status);
    part.leave();
  }
};

class RemoteTry final : public LockWaiter {
 public:
  RemoteTry(const Held& held, LockMode mode, int lost, int rank) noexcept
      : LockWaiter(mode, lost, false), held_(held), rank_(rank) {}

  // It may be gone when this returns.
  void begin() noexcept {
    Part& part = held_.part;
    if (!part.member(rank_).queue.queue_up(part.lock(rank_), *this)) end(MPI_SUCCESS);
  }
  bool wake() noexcept override {
    end(has_lock() ? MPI_SUCCESS : kTryAgain);
    return false;
  }

 private:
  ~RemoteTry() = default;

  void end(int status) noexcept {
    held_.answer(status);
    delete this;
  }

  const Held held_;
  const int rank_;
};

// The lock of one member, or with kPass of all members here from `rank` on.
class RemoteLock : public LockWaiter {
 public:
  RemoteLock(const Held& held, LockMode mode, int rank, int holder) noexcept
      : LockWaiter(mode, 0, true), held_(held), mode_(mode), rank_(rank), holder_(holder) {}

  // Goes on until it must wait, or has all; then it may be gone.
  void begin() noexcept {
    Part& part = held_.part;
    const int rank = rank_;
    if (go_on()) part.member(rank).queue.look(part.lock(rank));
  }
  // It comes from the target's lock, which it then has, or from those that had locked all.
  bool wake() noexcept override {
    has_it_ = std::exchange(queued_for_lock_, false);
    if (has_it_) return go_on();
    begin();
    return false;
  }

 protected:
  virtual ~RemoteLock() = default;

  const Held& held() const noexcept { return held_; }
  LockMode mode() const noexcept { return mode_; }
  TargetLock& lock() const noexcept { return held_.part.lock(rank_); }
  // It has all. Answers and ends it. True: it has unlocked, and the queue must be looked at.
  virtual bool has_all() noexcept {
    held_.answer(MPI_SUCCESS);
    delete this;
    return false;
  }

 private:
  // True: it has unlocked, and the queue must be looked at.
  bool go_on() noexcept {
    Part& part = held_.part;
    bool has_unlocked = false;
    while (rank_ < part.size()) {
      if (!has_it_ && !take()) return has_unlocked;
      if (mode_ == LockMode::kExclusive && part.all().is_taken()) {
        has_it_ = false;
        has_unlocked |= lock().unlock(mode_);
        if (!part.all_queue().left_or_queue(part.all(), *this)) return has_unlocked;
        continue;
      }
      if (mode_ != LockMode::kPass) break;
      has_it_ = false;
      ++rank_;
    }
    if (mode_ == LockMode::kExclusive) lock().note_holder(holder_);
    return has_all() || has_unlocked;
  }
  bool take() noexcept {
    const bool passes =
        mode_ == LockMode::kPass && (!held_.part.member(rank_).here || !lock().is_exclusive());
    queued_for_lock_ = true;
    // Another thread may wake it at once, and end it.
    if (!passes && !lock().try_lock(mode_) &&
        held_.part.member(rank_).queue.queue_up(lock(), *this)) {
      return false;
    }
    queued_for_lock_ = false;
    has_it_ = true;
    return true;
  }

  const Held held_;
  const LockMode mode_;
  int rank_;
  const int holder_;
  bool has_it_ = false, queued_for_lock_ = false;
};

}  // namespace heddle::rma
