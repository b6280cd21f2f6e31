// started.h — nonblocking and persistent collectives (MPI 5.0 §6.12, §6.13).
//
//   start(Bcast{…}, &request)   takes the ticket, so that the order of the calls counts; then hands the
//                               operation to a helper ult (helper.h), which performs the same text as the
//                               blocking call, and completes the request
//   init(Bcast{…}, &request)    the same at each MPI_Start; so all members must start those of a communicator
//                               in one order, which §6.13 asks only with mpi_assert_strict_start_ordering
//
// A communicator of one member needs no other rank, and so no helper: its operations are done when the call
// returns.
//
// An operation's error is its request's. MPI_Request_free and MPI_Cancel are errors while it is active.
// Arrays of counts, displacements and types stay the program's: it may not change them meanwhile (§6.12).
//
// Thread safety: start and init as for blocking calls; requests as in request.h.

#pragma once

#include <optional>
#include <utility>

#include "mpi/coll/coll.h"
#include "mpi/coll/helper.h"
#include "mpi/request/finished.h"
#include "mpi/request/request.h"

namespace heddle::coll {

class Started : public request::Request, public Task {
 public:
  // Takes the ticket and begins. May switch.
  Error launch() final;

  Error verdict() const final;
  Error refuse_to_end() const final;

 protected:
  Started(Life life, Comm& comm) noexcept : Request(life), comm_(comm) {}
  ~Started() override = default;

  void hold(const Uses& uses) noexcept { keep_alive(&comm_, uses.a, uses.b); }

 private:
  virtual int turns() const noexcept = 0;
  virtual Error perform(const Ticket& ticket) = 0;

  void run() noexcept final;
  void complete() noexcept final { Request::complete(); }

  Comm& comm_;
  std::optional<Ticket> ticket_;  // of this activation
  Error error_;
  const char* call_ = nullptr;  // that has started it, for reports
};

template <class Operation>
class StartedOperation final : public Started {
 public:
  StartedOperation(Life life, Operation&& operation) noexcept
      : Started(life, operation.comm), operation_(std::move(operation)) {}

  void hold_all() noexcept { hold(operation_.uses()); }

 private:
  int turns() const noexcept override { return operation_.turns(); }
  Error perform(const Ticket& ticket) override { return operation_.perform(ticket); }

  Operation operation_;
};

template <class Operation>
Error init(Operation operation, request::Request** out,
           request::Request::Life life = request::Request::Life::kPersistent) {
  if (Error e = check(operation)) return e;
  auto made = request::make<StartedOperation<Operation>>(life, std::move(operation));
  if (!made) return request::no_memory();
  made->hold_all();
  *out = made.leak();
  return {};
}

// May switch.
template <class Operation>
Error start(Operation operation, request::Request** out) {
  if (!operation.comm.is_inter() && operation.comm.size() == 1) {
    if (Error e = run(std::move(operation))) return e;
    *out = &request::finished();
    return {};
  }
  request::Request* made = nullptr;
  if (Error e = init(std::move(operation), &made, request::Request::Life::kOnce)) return e;
  if (Error e = static_cast<Started*>(made)->launch()) {
    made->release();
    return e;
  }
  *out = made;
  return {};
}

}  // namespace heddle::coll
