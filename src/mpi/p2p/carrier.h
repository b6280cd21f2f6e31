// carrier.h — what carries messages between hosts, as requests and ports see it.
//
// A host has one: its Exchange (remote/exchange.h), which needs ports and requests, and so these
// cannot need it. What a request or a message keeps of it is a reference to a Carrier.
//
// Thread safety: any strand.

#pragma once

#include "net/gateway/id_table.h"

namespace heddle::p2p {

class ReceiveRequest;
struct RemoteMessage;

// A name that a host gives to an object of its own, for other hosts to send back
// (net/gateway/id_table.h).
using gateway::Id;

class Carrier {
 public:
  // Moves the message into the receive that has taken it, and frees it. True: done, with its
  // outcome written but not completed. False: it will be completed.
  virtual bool receive(ReceiveRequest& request, RemoteMessage& message) noexcept = 0;

  // Ends a message that was taken and whose payload is not wanted.
  virtual void refuse(RemoteMessage& message) noexcept = 0;

  // Tells the sender of a message that all of it has been read.
  virtual void end_read(int host, int channel, Id send_id) noexcept = 0;

  // All of an eager message to process `to` is in its place. `taken`: so much of its room is free
  // again.
  virtual void landed(int host, int channel, int to, std::int64_t taken) noexcept = 0;

  // Asks a host to forget what it was offered. The sender's request ends in either case.
  virtual void withdraw(int host, int channel, Id send_id) noexcept = 0;

 protected:
  ~Carrier() = default;
};

// A message that was offered to another host. It is a name and no pointer, so its sender may use it
// when it has ended, too.
struct Offer {
  Carrier* carrier = nullptr;  // null: nothing was offered
  int channel = 0;
  int host = 0;
  Id send_id = 0;

  void withdraw() const noexcept { carrier->withdraw(host, channel, send_id); }
};

}  // namespace heddle::p2p
