// eager_landing.h — a long eager message while its payload is under way: its begin has come, and
// the transport writes the rest to its place (transport.h, T10).
//
//   a receive was posted, and its buffer is one piece   into that buffer; then the receive is
//                                                       complete
//   … and it is not, or too short                       into a copy; then the receive takes it over
//   none was posted                                     into a copy; then the message arrives, as
//                                                       others do
//
// Until its end no other packet of its sender comes by its channel, so messages keep their order.
//
// Thread safety: the holder of the channel.

#pragma once

#include "base/intrusive_list.h"
#include "mpi/p2p/remote/remote_message.h"
#include "net/transport/transport.h"

namespace heddle::p2p {

class Port;
class ReceiveRequest;

class EagerLanding final : public transport::Reader, public ListNode<> {
 public:
  EagerLanding(Port& port, const RemoteMessage::Origin& origin,
               const match::Envelope& envelope) noexcept
      : port_(port), origin_(origin), envelope_(envelope) {}
  ~EagerLanding();  // by came(), or when no packet is delivered any more

  // Where the payload goes, once; empty without memory.
  std::span<std::byte> find_place() noexcept;

  void came(std::size_t bytes) noexcept override;

 private:
  Port& port_;
  const RemoteMessage::Origin origin_;
  const match::Envelope envelope_;
  ReceiveRequest* receive_ = nullptr;  // was posted for the message
  RemoteMessage* copy_ = nullptr;
};

}  // namespace heddle::p2p
