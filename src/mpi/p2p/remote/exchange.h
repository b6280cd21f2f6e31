// exchange.h — a host's messages to and from other hosts: the protocol of packet.h over channels.
//
//   by_host_ ──► Route 0: the channels of a transport, what is under way by each of them
//                Route 1: …
//
//   send, SendRequest ──► send_eager, offer ──► channels ──► … ──► on_eager … ──► its Port
//   Port::receive, mrecv ──► receive: takes what was offered
//
// Messages enter ports through the same functions as those of senders in this host. Arrivals match,
// copy, complete and answer; net/gateway/gateway.h says what they may not do.
//
// Order: the packets that open messages (kEager, kOffer) of one sender to one receiver in one match
// context go through one channel, in the order in which they were sent, and are matched one by one
// as they arrive; so messages do not overtake. Pieces of large ones do: they have been matched
// before.
//
// A payload that leaves before it is matched takes credit at its receiver, until it is taken
// (credit.h).
//
// An answer that cannot be sent for want of memory ends the job, because no caller can get the
// error.
//
// Thread safety: any strand, holding no lock. Nothing switches.

#pragma once

#include <memory>
#include <vector>

#include "mpi/datatype/buffer.h"
#include "mpi/p2p/carrier.h"
#include "mpi/p2p/remote/credit.h"
#include "mpi/p2p/remote/eager_landing.h"
#include "mpi/p2p/remote/packet.h"
#include "mpi/p2p/remote/remote_message.h"
#include "mpi/p2p/remote/remote_send.h"
#include "net/channel/channels.h"
#include "net/gateway/gateway.h"
#include "net/world/process.h"

namespace heddle::p2p {

class Port;
class SendRequest;

class Exchange final : public gateway::Receiver, public Carrier {
 public:
  static constexpr gateway::Module kModule = gateway::Module::kMessages;

  // Made before the gateway is open.
  Exchange(world::Job& job, gateway::Gateway& gateway);
  ~Exchange() override;  // when no packet is sent or delivered any more

  // The Exchange of the calling rank's host.
  static Exchange& here() noexcept { return gateway::Gateway::here().find<Exchange>(); }

  // ---- senders; the calling rank sends

  // True if a standard send may leave with its payload: it is small, and the receiver has room for
  // it, which is now taken; send_eager() must follow. False: it must be offered.
  [[nodiscard]] bool take_room(const world::Process& to, MPI_Count bytes) noexcept {
    return fits_packet(to, bytes) && send_credit_.take(to.number, eager_cost(bytes));
  }

  // Requires take_room(). The buffer is free when this returns. Fails without memory.
  Error send_eager(const world::Process& to, const match::Key& key, datatype::ConstBuffer data);

  // Offers the request's message, and sets its `offer`. `with_payload`: the payload goes along if
  // it fits a packet and has credit. Fails without memory.
  Error offer(const world::Process& to, SendRequest& request, bool with_payload);

  // Offers a copy of a message, with its payload if it may go along.
  Error offer_copy(const world::Process& to, const match::Key& key, datatype::ConstBuffer data,
                   Deposit deposit);

  // ---- requests and ports
  bool receive(ReceiveRequest& request, RemoteMessage& message) noexcept override;
  void refuse(RemoteMessage& message) noexcept override;
  void withdraw(int host, int channel, Id send_id) noexcept override;
  void end_read(int host, int channel, Id send_id) noexcept override;
  void landed(int host, int channel, int to, std::int64_t taken) noexcept override;

  // ---- the gateway (arrival.cpp)
  void on_lost(int host) noexcept override;

 private:
  using Arrival = gateway::Arrival;

  void receive_by(gateway::Gateway& gateway) noexcept;
  // They return false if the packet makes no sense.
  bool on_eager(const Arrival& arrival) noexcept;
  // Where an eager message comes from.
  RemoteMessage::Origin origin_of(const Arrival& arrival, std::int32_t to,
                                  MPI_Count bytes) noexcept;
  transport::Landing begin_eager(const Arrival& arrival, std::size_t bytes) noexcept;
  bool on_offer(const Arrival& arrival) noexcept;
  bool on_readable(const Arrival& arrival) noexcept;
  bool keep_offer(const Arrival& arrival, const OfferPacket& head, Bytes payload,
                  const transport::RemoteMemory& memory) noexcept;
  bool on_take(const Arrival& arrival) noexcept;
  bool on_data(const Arrival& arrival) noexcept;
  bool on_withdraw(const Arrival& arrival) noexcept;
  bool on_withdrawn(const Arrival& arrival) noexcept;
  bool on_credit(const Arrival& arrival) noexcept;
  // The port of a process of this host; nullptr if there is none of this number.
  Port* port_of(int process) noexcept;

  int channel_to(const world::Process& to, const match::Key& key) noexcept;
  bool fits_packet(const world::Process& to, MPI_Count bytes) noexcept {
    return bytes <= route_to(to.host).eager_limit;
  }
  static constexpr std::int64_t eager_cost(MPI_Count bytes) noexcept {
    return bytes + Credit::kRecord;
  }
  // Room for messages of that host to process `to` is free again.
  void free_room(int host, int channel, int to, std::int64_t bytes) noexcept;
  void free_room(const RemoteMessage::Origin& origin) noexcept {
    free_room(origin.host, origin.channel, origin.to, origin.credit);
  }
  // Frees its room, and tells its sender, if it waits for that.
  void end_taken(const RemoteMessage& message, Id receive_id, MPI_Count wanted) noexcept;

  // Ends a send that was offered.
  void close(const Arrival& arrival, RemoteSend& send, bool withdrawn) noexcept;
  // Sends the whole payload behind the head. False without memory.
  bool send_packed(int channel, int host, Bytes head, datatype::ConstBuffer data) noexcept;
  Error send_offer(const world::Process& to, const match::Key& key, datatype::ConstBuffer data,
                   bool with_payload, std::unique_ptr<RemoteSend> send, Offer* made);
  // Begins to fetch so many bytes of an offer. May complete the request.
  void fetch(ReceiveRequest& request, const RemoteMessage& message, MPI_Count wanted) noexcept;
  bool send_readable(int channel, const OfferPacket& head, RemoteSend& send) noexcept;
  void answer(int channel, int host, Bytes packet) noexcept;

  // What is under way by one channel. All packets of a message go by the same one, so threads whose
  // messages have different channels meet in none of these locks either.
  struct alignas(platform::kCacheLine) UnderWay {
    gateway::IdTable<RemoteSend> sends;
    gateway::IdTable<Fetch> fetches;
    KeptOffers kept;
    IntrusiveList<EagerLanding> landings;  // of the channel's holder
  };
  // What this module keeps of a way of the gateway.
  struct Route {
    explicit Route(gateway::Route& way);

    gateway::Route& way;
    channel::Channels& channels;
    const MPI_Count eager_limit;
    const MPI_Count read_bytes;       // 0: the hosts cannot read each other's memory
    std::vector<UnderWay> under_way;  // by channel; new[] would hide its block from leak checkers
  };
  // Requires that it is another host.
  Route& route_to(int host) noexcept { return *by_host_[static_cast<std::size_t>(host)]; }
  channel::Channels& channels_to(int host) noexcept { return route_to(host).channels; }
  UnderWay& under_way(int host, int channel) noexcept {
    return route_to(host).under_way[static_cast<std::size_t>(channel)];
  }
  UnderWay& under_way(const Arrival& arrival) noexcept {
    return under_way(arrival.host, arrival.channel);
  }

  world::Job& job_;
  std::vector<Route*> by_host_;  // nullptr: this host
  std::vector<std::unique_ptr<Route>> routes_;
  SendCredit send_credit_;
  CreditReturns credit_returns_;
};

}  // namespace heddle::p2p
