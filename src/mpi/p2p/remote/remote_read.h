// remote_read.h — the receiver's end of a message that it reads from its sender's memory.
//
//   state      it is in                        leaves by
//   ---------  ------------------------------  ------------------------------------------------
//   reading    the channel, as an Outbound     its last piece has been asked for: waiting
//   waiting    the transport, as a Reader      all bytes have come: the sender is told, the request
//                                              is complete
//
// Thread safety: the holder of the channel.

#pragma once

#include "mpi/p2p/remote/remote_message.h"
#include "net/channel/outbound.h"
#include "net/transport/transport.h"

namespace heddle::p2p {

class ReceiveRequest;

class RemoteRead final : public channel::Outbound, private transport::Reader {
 public:
  // `into`: so many bytes as are wanted, at least one; they are read in pieces of `piece` bytes.
  RemoteRead(ReceiveRequest& request, const RemoteMessage::Origin& from, std::span<std::byte> into,
             std::size_t piece) noexcept
      : Outbound(Order::kFree), request_(request), from_(from), into_(into), piece_(piece) {}

  Step send_next(transport::Endpoint& endpoint, std::span<std::byte> scratch) noexcept override;
  void sent() noexcept override {}
  void dropped() noexcept override { delete this; }

 private:
  void came(std::size_t bytes) noexcept override;

  ReceiveRequest& request_;
  const RemoteMessage::Origin from_;
  const std::span<std::byte> into_;
  const std::size_t piece_;
  std::size_t asked_ = 0, came_ = 0;
  transport::Endpoint* endpoint_ = nullptr;  // that was asked
};

}  // namespace heddle::p2p
