// started.h — nonblocking and persistent collectives (MPI 5.0 §6.12, §6.13).
//
//   start(Bcast{…}, &request)       hands the operation to a helper ult (helper.h), which performs
//                                   the same text as the blocking call, in the order of the calls,
//                                   and completes the request. What waits for no other member is
//                                   done in the start: a small operation that all have come to, a
//                                   small broadcast at its root. A barrier or small reduction
//                                   counts in there; if others are still to come its wait does
//                                   the rest (a split-phase operation, helper.h)
//   init(Bcast{…}, own, &request)   the same at each MPI_Start, by messages and phases of `own`
//
// A persistent operation has a communicator of its own, a duplicate that comm_make/persistent.h
// makes, because members may start those of one communicator in different orders.
//
// A communicator of one member needs no other rank, and so no helper: its operations are done when
// the call returns. So are those for which there is no memory, as other ranks may wait for this
// one: a start performs what it can give to no helper, like a blocking call. MPI_Finalize refuses
// to end a rank that has an operation under way.
//
// The wait or test returns an operation's error; with one member, the call does. MPI_Request_free
// is an error until it is done, MPI_Cancel while it is active. Arrays of counts, displacements and
// datatypes are copied: a program may not change them meanwhile (§6.12, §6.13), but bindings of
// other languages free them.
//
// Thread safety: start and init as for blocking calls; requests as in request.h.

#pragma once

#include <utility>

#include "mpi/coll/coll.h"
#include "mpi/coll/helper.h"
#include "mpi/coll/ticket.h"
#include "mpi/request/finished.h"
#include "mpi/request/request.h"

namespace heddle::coll {

// True if the operations of a communicator need no other rank.
inline bool is_alone(const Comm& comm) noexcept {
  return !comm.is_inter() && comm.size() == 1;
}

class Started : public request::Request, public Task {
 public:
  // Succeeds. May switch.
  Error launch() final;
  // Done without an error.
  bool is_over() noexcept { return completion().done() && !error_; }

  void stand_alone() noexcept final;
  bool spin() noexcept final;

  Error verdict() const final;
  Error refuse_to_end() const final;

 protected:
  Started(Life life, Comm& comm, object::Ref<Comm> own) noexcept
      : Request(life), comm_(comm), own_(std::move(own)) {}
  ~Started() override = default;

  void hold(const Uses& uses) noexcept { keep_alive(&comm_, uses.a, uses.b); }

 private:
  virtual int phases() const noexcept = 0;
  virtual Error perform(const Ticket& ticket) = 0;
  // coll.h says what these are.
  virtual bool can_split() const noexcept = 0;
  virtual bool may_begin(HostGroup& host_group, HostGroup::Phase phase) const = 0;
  virtual bool begin(const Phase& phase, Error* error) = 0;
  virtual Error end(const Phase& phase) = 0;

  // The whole operation, or its second phase.
  void carry_out() noexcept final;
  void complete() noexcept final { Request::complete(); }

  // True if it is done, or split.
  bool begin_at_once();
  void note_error() noexcept;
  bool is_split() const noexcept { return split_phase_ != 0; }
  void look() noexcept final;

  // Where its members meet.
  Comm& channel() const noexcept { return own_ ? *own_ : comm_; }

  Comm& comm_;
  const object::Ref<Comm> own_;  // null: it is performed among those of comm_
  Error error_;
  HostGroup::Phase split_phase_ = 0;  // where it has counted in with its start; 0: it has not
};

template <class Operation>
class StartedOperation final : public Started {
 public:
  StartedOperation(Life life, Operation&& operation, object::Ref<Comm> own) noexcept
      : Started(life, operation.comm, std::move(own)), operation_(std::move(operation)) {}

  void hold_all() noexcept { hold(operation_.uses()); }

 private:
  int phases() const noexcept override { return operation_.phases(); }
  Error perform(const Ticket& ticket) override { return operation_.perform(ticket); }

  static constexpr bool kCanSplit = requires(Operation & operation, const Phase& phase) {
    operation.end(phase);
  };

  bool can_split() const noexcept override { return kCanSplit; }
  bool may_begin(HostGroup& host_group, HostGroup::Phase phase) const override {
    if constexpr (kCanSplit) return operation_.may_begin(host_group, phase);
    return false;
  }
  bool begin(const Phase& phase, Error* error) override {
    if constexpr (kCanSplit) return operation_.begin(phase, error);
    return false;
  }
  Error end(const Phase& phase) override {
    if constexpr (kCanSplit) return operation_.end(phase);
    return {};
  }

  Operation operation_;
};

// Null if there is no memory, and then the operation can be performed as before. `own` as in
// init().
template <class Operation>
object::Ref<StartedOperation<Operation>> make_started(request::Request::Life life,
                                                      Operation& operation, object::Ref<Comm> own) {
  if constexpr (requires { operation.keep_arrays(); }) {
    if (!operation.keep_arrays()) return {};
  }
  auto made =
      request::make<StartedOperation<Operation>>(life, std::move(operation), std::move(own));
  if (made) made->hold_all();
  return made;
}

// `own`: null with one member. The blocking text reads its communicator's groups, which are the
// same in `own`.
template <class Operation>
Error init(Operation operation, object::Ref<Comm> own, request::Request** out) {
  if (Error e = check(operation)) return e;
  auto made = make_started(request::Request::Life::kPersistent, operation, std::move(own));
  if (!made) return request::no_memory();
  *out = made.leak();
  return {};
}

// May switch.
template <class Operation>
Error start(Operation operation, request::Request** out) {
  if (Error e = check(operation)) return e;
  if (!is_alone(operation.comm)) {
    if (auto made = make_started(request::Request::Life::kOnce, operation, {})) {
      if (Error e = made->launch()) return e;
      *out = made->is_over() ? static_cast<request::Request*>(&request::finished()) : made.leak();
      return {};
    }
  }
  if (Error e = run_checked(operation)) return e;
  *out = &request::finished();
  return {};
}

}  // namespace heddle::coll
