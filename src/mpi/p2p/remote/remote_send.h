// remote_send.h — the sender's end of a message that a receiver on another host must take.
//
//   state      it is in                        leaves by
//   ---------  ------------------------------  ------------------------------------------------
//   offered    its channel's table             kTake of some bytes: streaming; of none: closing
//                                              kWithdrawn: closing
//   streaming  the channel, as an Outbound     its last piece: ended
//   closing    the same, if the receiver could read it; else it ends at once
//   ended      nowhere: ended() has freed it
//
// Thread safety: the strand that has taken it out of the table owns it, then the channel does.
// exposed_ belongs to the holder of the channel.

#pragma once

#include <memory>

#include "mpi/datatype/buffer.h"
#include "mpi/p2p/buffer_account.h"
#include "mpi/p2p/remote/packet.h"
#include "net/channel/outbound.h"

namespace heddle::p2p {

class SendRequest;

class RemoteSend : public channel::Outbound {
 public:
  ~RemoteSend() override = default;

  // The receiver has it, or `withdrawn`. Frees this.
  virtual void ended(bool withdrawn) noexcept = 0;

  MPI_Count bytes() const noexcept { return data_.bytes(); }
  int host() const noexcept { return host_; }

  // Call one of these before the send is put into a channel. Requires 0 < wanted <= bytes().
  void stream(Id receive_id, MPI_Count wanted) noexcept;
  void close(bool withdrawn) noexcept { withdrawn_ = withdrawn; }

  // Lets the receiver read the payload, from now until it streams or closes. Null memory: it
  // cannot.
  transport::RemoteMemory expose(transport::Endpoint& endpoint) noexcept;
  bool is_exposed() const noexcept { return static_cast<bool>(exposed_); }

  Step send_next(transport::Endpoint& endpoint, std::span<std::byte> scratch) noexcept override;
  void sent() noexcept override { ended(withdrawn_); }
  void dropped() noexcept override { delete this; }

 protected:
  RemoteSend(int host, datatype::ConstBuffer data) noexcept
      : Outbound(Order::kFree), host_(host), data_(data) {}

 private:
  const int host_;  // the receiver's
  const datatype::ConstBuffer data_;
  transport::RemoteMemory exposed_;
  bool withdrawn_ = false;

  // While it streams.
  const std::byte* adjacent_ = nullptr;  // the payload, if it need not be packed
  Id receive_id_ = 0;
  MPI_Count wanted_ = 0;
  MPI_Count offset_ = 0;
};

// The first packet of a message whose payload the receiver may read. It does not own the message,
// which cannot end before.
class ReadableOffer final : public channel::Outbound {
 public:
  ReadableOffer(RemoteSend& send, const OfferPacket& head) noexcept
      : Outbound(Order::kKept),
        send_(send),
        host_(send.host()),
        packet_{.offer = head, .memory = {}} {}

  Step send_next(transport::Endpoint& endpoint, std::span<std::byte>) noexcept override;
  void sent() noexcept override { delete this; }
  void dropped() noexcept override { delete this; }

 private:
  RemoteSend& send_;
  const int host_;
  ReadablePacket packet_;
};

// The send of a request: from its buffer; it completes the request in the end.
class RequestSend final : public RemoteSend {
 public:
  RequestSend(int host, datatype::ConstBuffer data, SendRequest& request) noexcept
      : RemoteSend(host, data), request_(request) {}
  void ended(bool withdrawn) noexcept override;

 private:
  SendRequest& request_;
};

// A buffered send: from a copy, whose room in the attached buffer is taken until the end. It may
// outlast its rank.
class BufferedSend final : public RemoteSend {
 public:
  // A copy of the whole payload; nullptr without memory.
  static std::unique_ptr<BufferedSend> copy_of(int host, datatype::ConstBuffer data,
                                               Deposit deposit) noexcept;
  ~BufferedSend() override;
  void ended(bool withdrawn) noexcept override;

 private:
  BufferedSend(int host, void* copy, MPI_Count bytes, Deposit deposit) noexcept;

  void* const copy_;
  const Deposit deposit_;
};

}  // namespace heddle::p2p
