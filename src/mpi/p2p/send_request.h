// send_request.h — a send that waits for its receiver: its message, and when its buffer is free.
//
//   receiver on     the message waits                       until
//   ------------    ------------------------------------    -------------------------------------
//   this host       in the receiver's lane (kSender)        a receive takes it, or take_back()
//   another host    here, offered to that host (Offer)      that host has taken all that it wants,
//                                                           or has given the offer back
//
// send.h decides which messages wait.
//
// Thread safety: see request.h. While it waits in a lane it belongs to that lane.

#pragma once

#include <string>

#include "mpi/p2p/carrier.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/target.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

class SendRequest : public request::Request, public Message {
 public:
  SendRequest(datatype::ConstBuffer buffer, const Target& target, Life life = Life::kBare) noexcept;
  ~SendRequest() override {
    if ((lane != nullptr || offer.carrier != nullptr) && !done()) [[unlikely]] {
      take_back();
      wait();  // a receiver may be copying from the buffer
    }
  }

  // Keeps the communicator and the datatype alive as long as the request. Before it starts.
  void hold(const comm::Comm* comm) noexcept { keep_alive(comm, data.type); }

  std::string awaited() const override;

  // The receiver on another host has it, or has given it back.
  void end_elsewhere(bool withdrawn) noexcept;

  // Completes it undelivered if no receive has taken it; for a rank that ends without waiting, and
  // where it could not start.
  void take_back() noexcept;

  // Messages that were copied are done and not cancelled.
  void cancel() noexcept override;

  Offer offer;  // to another host; set before the message can end

 private:
  const int receiver_;  // in the communicator's peers
};

}  // namespace heddle::p2p
