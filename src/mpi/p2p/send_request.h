// send_request.h — a send that may outlast its call: how it leaves, and when its buffer is free.
//
//   mode          message      a receive is posted    none is posted
//   ------------  -----------  ---------------------  -----------------------------------------
//   standard,     small        copied there, done     copied (Port::send_eager), done
//   ready         large        copied there, done     waits at the receiver as itself (kSender)
//   synchronous   any          copied there, done     waits at the receiver as itself (kSender)
//   buffered      any          copied there, done     copied on the account of the attached buffer
//
// To another host: what is copied goes as one packet, if the receiver has room (credit.h); what waits
// at the receiver, or finds no room, is offered to it, and leaves when it has been taken (exchange.h).
//
// Thread safety: see request.h. While it waits at the receiver it belongs to a lane there.

#pragma once

#include "mpi/p2p/exchange.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/target.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

enum class Mode : unsigned char { kStandard, kSynchronous, kReady, kBuffered };

class SendRequest final : public request::Request, public Message {
 public:
  SendRequest(datatype::ConstBuffer buffer, const Target& target, Mode mode,
              Life life = Life::kOnce) noexcept;
  ~SendRequest() override {
    if ((lane != nullptr || offer_.exchange != nullptr) && !done()) [[unlikely]] {
      take_back();
      wait();  // a receiver may be copying from the buffer
    }
  }

  // Keeps the communicator and the datatype alive as long as the request. Before begin().
  void hold(const comm::Comm* comm) noexcept { keep_alive(comm, data.type); }

  // Lets the message leave. Fails for want of memory or of attached buffer; then it never
  // completes.
  Error begin();

  // The receiver on another host has it, or has given it back.
  void end_elsewhere(bool withdrawn) noexcept;

  // Completes it undelivered if no receive has taken it; for a rank that ends without waiting, and
  // where begin() failed.
  void take_back() noexcept;

  // Messages that were copied are done and not cancelled.
  void cancel() noexcept override;

 private:
  Error launch() override { return begin(); }
  Error begin_elsewhere();

  const world::Process* const to_;  // nullptr for MPI_PROC_NULL
  comm::Comm* const target_comm_;
  const Mode mode_;
  Exchange::Offer offer_;  // to another host, of this activation
};

}  // namespace heddle::p2p
