// request.h — an operation that has been started, or a persistent one that can be (MPI 5.0 §3.7).
//
//   state      meaning                                  leaves by
//   ---------  ---------------------------------------  ---------------------------------------
//   inactive   persistent, not started                  start
//   active     on its way                               complete()
//   done       active, and its completion is set        a wait or test, which writes the status:
//                                                       freed, or inactive again if persistent;
//                                                       the shared one stays (finished.h)
//
// A blocking operation has its request on its stack, with no handle (make() is for the others). A
// nonblocking one names in keep_alive() the objects that it needs until it ends
// (mpi/lifetime/transient.h).
//
// Thread safety: complete() any strand, once for each activation, and it does not touch the request
// afterwards. Everything else: the strands of the owning rank, one at a time as the standard asks.

#pragma once

#include <mpi.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "exec/ult/completion.h"
#include "mpi/comm/comm.h"
#include "mpi/lifetime/transient_object.h"
#include "mpi/request/status.h"

namespace heddle::partitioned {
class Operation;
}

namespace heddle::request {

class Generalized;

class Request : public lifetime::TransientObject {
 public:
  // kBare: as kOnce, and the destructor has nothing to do once the operation is done.
  enum class Life : std::uint8_t { kBare, kOnce, kPersistent, kShared };

  ~Request() override = default;

  Life life() const noexcept { return life_; }
  bool persistent() const noexcept { return life_ == Life::kPersistent; }
  bool active() const noexcept { return active_; }
  // May complete it, if that is left to its rank's own strands.
  bool done() noexcept {
    if (completion_.done()) return true;
    look();
    return completion_.done();
  }
  // Requires done().
  const Outcome& outcome() const noexcept { return outcome_; }
  // Writes the status except MPI_ERROR; `status` may be MPI_STATUS_IGNORE. Fails only if the
  // program writes it (generalized.h). Requires done().
  virtual Error report(MPI_Status* status) const {
    write_status(status, outcome_);
    return {};
  }
  // The outcome as an error with its sentence, or success. Once for each activation, by the call
  // that ends it. Requires done().
  virtual Error verdict() const { return {}; }

  // What it waits for, for a report (runtime/judge/deadlock.h). Any thread, while nothing runs.
  virtual std::string awaited() const { return "an operation that it has started"; }

  // Itself, if the program completes it (generalized.h).
  virtual Generalized* generalized() noexcept { return nullptr; }
  // Itself, if it has partitions (mpi/partitioned/operation.h).
  virtual partitioned::Operation* partitioned() noexcept { return nullptr; }

  // Among done requests of an array the one with the smallest posting_order() is completed first
  // (census.h). A receive gets its number when it is posted. Only numbers of receives that can get
  // the same message can be compared. Other operations come first, since there are few of them.
  static constexpr std::uint64_t kNoOrder = 0;
  virtual std::uint64_t posting_order() const noexcept { return kNoOrder; }

  // May switch.
  void wait() noexcept {
    if (!completion_.done()) wait_slow();
  }
  ult::Completion& completion() noexcept { return completion_; }

  // From now on it completes whether its strand calls done() or wait() or not. Before a strand
  // waits for its completion(), or for nothing, as a request's that has been freed.
  virtual void stand_alone() noexcept {}

  // What a strand waits for that waits for several requests. When it is set, done() is true.
  virtual ult::Completion& awaits() noexcept { return completion_; }

  // For a strand that waits for it. Returns true if it gets done while the worker has nothing else
  // to run; never for long. If not, it stands alone. What is left to the rank's own strands is done
  // here, and may switch.
  virtual bool spin() noexcept { return completion_.spin(); }

  // Starts a persistent operation. Requires persistent() and that it is not active.
  Error start() {
    prepare();
    Error error = launch();
    if (error) active_ = false;
    return error;
  }

  // What MPI_Request_free says of it until it is done, and MPI_Cancel while it is active; success
  // if they are allowed then.
  virtual Error refuse_to_end() const { return {}; }
  // Asks for cancellation; the operation completes in either case.
  virtual void cancel() noexcept {}

  // Called when its outcome has been read. Requires persistent().
  void become_inactive() noexcept { active_ = false; }

  // The strand that finishes the operation calls it, after writing the outcome. The request may be
  // gone when it returns.
  void complete() noexcept {
    Request* const parent = parent_;
    completion_.set();
    if (parent != nullptr) [[unlikely]]
      parent->part_completed();
  }

  // complete() for a request that no other strand knows yet: it is not posted, has no handle, and
  // is no part of another.
  void complete_unseen() noexcept {
    assert(parent_ == nullptr);
    completion_.set_unseen();
  }

  // The communicator whose error handler gets its errors; null for none.
  object::Ref<comm::Comm> comm() const noexcept {
    return object::Ref<comm::Comm>(
        const_cast<comm::Comm*>(static_cast<const comm::Comm*>(reference(0))));
  }

 protected:
  explicit Request(Life life) noexcept
      : TransientObject(object::Kind::kRequest,
                        life == Life::kShared ? Lifetime::kPredefined : Lifetime::kCounted),
        life_(life),
        active_(life != Life::kPersistent) {}

  // Does what a persistent request does when it starts.
  virtual Error launch() { return {}; }

  Outcome& outcome_for_writing() noexcept { return outcome_; }
  // Once, of a request that make() has made.
  void keep_alive(const comm::Comm* comm, const lifetime::Managed* a,
                  const lifetime::Managed* b = nullptr) noexcept {
    refer(comm, a, b);
  }

  // Makes `part`, a member of this request, complete it together with its other parts. Before they
  // start.
  void adopt(Request& part) noexcept {
    part.parent_ = this;
    // relaxed: the parts start later.
    parts_.fetch_add(1, std::memory_order_relaxed);
  }
  // Called once the last part is done, by the strand that completed it.
  virtual void parts_completed() noexcept {}

 private:
  // Completes it, if that is left to its rank's own strands and takes no wait.
  virtual void look() noexcept {}
  void wait_slow() noexcept;

  void prepare() noexcept;
  void part_completed() noexcept;

  ult::Completion completion_;  // first: what the completing strand writes, in one line
  Outcome outcome_;
  Request* parent_ = nullptr;
  std::atomic<int> parts_{0};
  const Life life_;
  bool active_;
};

// The error if make() returns null.
[[gnu::cold, gnu::noinline]] Error no_memory();

// A request that outlasts its call, with one reference. Null if no memory is left.
template <class T, class... Arguments>
[[gnu::always_inline]] inline object::Ref<T> make(Arguments&&... arguments) noexcept {
  return lifetime::make_transient<T>(std::forward<Arguments>(arguments)...);
}

}  // namespace heddle::request
