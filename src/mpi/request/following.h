// following.h — a request that does something of its own around another one: before that starts and
// after it is done.
//
//   program's handle ──► Following ──► the request that the call has made, which has no handle
//                        before()      start
//                        after()       done
//
// Fortran's wrappers use it for array sections, whose copies a nonblocking operation reads and
// writes (heddle/fortran.h). So no other request pays for it.
//
// It is done when a strand of its rank has seen that the other one is, and has called after(). A
// strand that waits for several requests waits for the other one's completion in place of this
// one's (awaits()).
//
// Thread safety: as in request.h. Callbacks run on strands of the rank, without a lock.

#pragma once

#include <atomic>
#include <utility>

#include "heddle/fortran.h"
#include "mpi/request/request.h"

namespace heddle::request {

// Base: Request, or what a request with partitions is.
template <class Base>
class FollowingOf : public Base {
 public:
  template <class... Arguments>
  FollowingOf(const heddle_follower& follower, object::Ref<Request> other,
              Arguments&&... arguments) noexcept
      : Base(std::forward<Arguments>(arguments)...),
        follower_(follower),
        other_(std::move(other)) {}
  ~FollowingOf() override { follower_.end(follower_.state); }

  // Once it is made.
  void hold() noexcept { this->keep_alive(other_->comm().get(), nullptr); }

  Error report(MPI_Status* status) const override { return other_->report(status); }
  Error verdict() const override { return other_->verdict(); }
  std::string awaited() const override { return other_->awaited(); }
  std::uint64_t posting_order() const noexcept override { return other_->posting_order(); }
  ult::Completion& awaits() noexcept override { return other_->awaits(); }
  void stand_alone() noexcept override { other_->stand_alone(); }
  Error refuse_to_end() const override { return other_->refuse_to_end(); }
  void cancel() noexcept override { other_->cancel(); }

  bool spin() noexcept override {
    other_->wait();
    look();
    return this->completion().done();
  }

 protected:
  Error launch() override {
    // relaxed, here and below: one strand at a time starts a request, and the completion publishes
    // the rest.
    ended_.store(false, std::memory_order_relaxed);
    follower_.before(follower_.state, HEDDLE_WHOLE, HEDDLE_WHOLE);
    return other_->start();
  }

  const heddle_follower follower_;
  const object::Ref<Request> other_;

 private:
  void look() noexcept override {
    if (!other_->done() || ended_.exchange(true, std::memory_order_relaxed)) return;
    follower_.after(follower_.state, HEDDLE_WHOLE, HEDDLE_WHOLE);
    this->outcome_for_writing() = other_->outcome();
    if (other_->persistent()) other_->become_inactive();
    this->complete();
  }

  std::atomic<bool> ended_{false};  // a strand has seen the other one's end
};

class Following final : public FollowingOf<Request> {
 public:
  using FollowingOf::FollowingOf;
};

// Puts `made`, which follows a request, behind that one's handle. Null: there was no memory for it.
template <class T>
Error take_place(object::Ref<T> made, const object::Ref<Request>& other) {
  if (!made) return no_memory();
  made->hold();
  lifetime::hand_over_slot(*other, *made.leak());
  return {};
}

// heddle_follow() of a request without partitions. May switch.
Error follow(Request& request, const heddle_follower& follower);

}  // namespace heddle::request
