// What becomes of the packets of other hosts. See exchange.h for what may be done here.
#include <cstddef>
#include <cstdio>
#include <new>

#include "mpi/p2p/port.h"
#include "mpi/p2p/receive_request.h"
#include "mpi/p2p/remote/end_of_job.h"
#include "mpi/p2p/remote/exchange.h"

namespace heddle::p2p {

namespace {

datatype::ConstBuffer buffer_of(Bytes bytes) {
  return {bytes.data(), static_cast<MPI_Count>(bytes.size()), &datatype::named(MPI_BYTE)};
}

void no_memory_for_arrival() {
  end_job(MPI_ERR_NO_MEM, "no memory for a message that has come from another host");
}

}  // namespace

void Exchange::receive_by(gateway::Gateway& gateway) noexcept {
  const auto kind = [](PacketKind own) { return static_cast<gateway::PacketKind>(own); };
  gateway.receive<&Exchange::on_eager, &Exchange::begin_eager>(kind(PacketKind::kEager), *this);
  gateway.receive<&Exchange::on_offer>(kind(PacketKind::kOffer), *this);
  gateway.receive<&Exchange::on_readable>(kind(PacketKind::kReadable), *this);
  gateway.receive<&Exchange::on_take>(kind(PacketKind::kTake), *this);
  gateway.receive<&Exchange::on_data>(kind(PacketKind::kData), *this);
  gateway.receive<&Exchange::on_withdraw>(kind(PacketKind::kWithdraw), *this);
  gateway.receive<&Exchange::on_withdrawn>(kind(PacketKind::kWithdrawn), *this);
  gateway.receive<&Exchange::on_credit>(kind(PacketKind::kCredit), *this);
}

// What waits for the host would wait for ever.
void Exchange::on_lost(int host) noexcept {
  char sentence[80];
  std::snprintf(sentence, sizeof sentence, "host %d is lost; the job cannot go on without it",
                host);
  end_job(MPI_ERR_PROC_ABORTED, sentence);
}

Port* Exchange::port_of(int process) noexcept {
  const world::Process* const found = job_.find(process);
  return found != nullptr ? Port::of(*found) : nullptr;
}

RemoteMessage::Origin Exchange::origin_of(const Arrival& arrival, std::int32_t to,
                                          MPI_Count bytes) noexcept {
  return {.carrier = *this,
          .host = arrival.host,
          .channel = arrival.channel,
          .send_id = 0,
          .to = to,
          .credit = eager_cost(bytes)};
}

bool Exchange::on_eager(const Arrival& arrival) noexcept {
  EagerPacket head;
  if (!read(arrival.packet, &head)) return false;
  Port* port = port_of(head.to);
  if (port == nullptr) return false;
  const Bytes payload = arrival.packet.subspan(sizeof head);
  const datatype::ConstBuffer data = buffer_of(payload);
  const RemoteMessage::Origin origin = origin_of(arrival, head.to, data.bytes());
  if (ReceiveRequest* const receive = port->take_posted({head.key(), data.bytes()})) {
    receive->take_arrived({head.key(), data.bytes()}, data);
    receive->complete();
    free_room(origin);
    return true;
  }
  RemoteMessage* message = RemoteMessage::make(origin, {head.key(), data.bytes()}, payload);
  if (message == nullptr) {
    no_memory_for_arrival();
  } else {
    port->arrive(*message);
  }
  return true;
}

transport::Landing Exchange::begin_eager(const Arrival& arrival, std::size_t bytes) noexcept {
  EagerPacket head;
  if (bytes <= sizeof head || !read(arrival.packet, &head)) return {};
  Port* port = port_of(head.to);
  if (port == nullptr) return {};
  const match::Envelope envelope{head.key(), static_cast<MPI_Count>(bytes - sizeof head)};
  auto* const landing =
      new (std::nothrow) EagerLanding(*port, origin_of(arrival, head.to, envelope.bytes), envelope);
  if (landing == nullptr) return {};
  under_way(arrival).landings.push_back(*landing);
  const std::span<std::byte> place = landing->find_place();
  if (!place.empty()) return {place, landing};
  delete landing;
  no_memory_for_arrival();
  return {};
}

bool Exchange::on_offer(const Arrival& arrival) noexcept {
  OfferPacket head;
  if (!read(arrival.packet, &head)) return false;
  return keep_offer(arrival, head, arrival.packet.subspan(sizeof head), {});
}

bool Exchange::on_readable(const Arrival& arrival) noexcept {
  ReadablePacket head;
  if (arrival.packet.size() != sizeof head || !read(arrival.packet, &head)) return false;
  if (!head.memory || route_to(arrival.host).read_bytes == 0) return false;
  return head.offer.bytes > 0 && keep_offer(arrival, head.offer, {}, head.memory);
}

bool Exchange::keep_offer(const Arrival& arrival, const OfferPacket& head, Bytes payload,
                          const transport::RemoteMemory& memory) noexcept {
  Port* port = port_of(head.to);
  const auto came = static_cast<std::int64_t>(payload.size());
  if (port == nullptr || head.send_id == 0 || head.bytes < 0) return false;
  if (came != 0 && came != head.bytes) return false;
  const RemoteMessage::Origin origin{.carrier = *this,
                                     .host = arrival.host,
                                     .channel = arrival.channel,
                                     .send_id = head.send_id,
                                     .to = head.to,
                                     .credit = came,
                                     .memory = memory};
  RemoteMessage* message = RemoteMessage::make(origin, {head.key(), head.bytes}, payload);
  if (message == nullptr) {
    no_memory_for_arrival();
    return true;
  }
  under_way(arrival).kept.add(*message);  // first: a receive may have it as soon as it arrives
  port->arrive(*message);
  return true;
}

bool Exchange::on_take(const Arrival& arrival) noexcept {
  TakePacket packet;
  if (!read(arrival.packet, &packet)) return false;
  const auto fits = [&](const RemoteSend& offered) {
    return offered.host() == arrival.host && packet.bytes >= 0 && packet.bytes <= offered.bytes();
  };
  RemoteSend* send = under_way(arrival).sends.take(packet.send_id, fits);
  if (send == nullptr) return false;
  if (packet.bytes == 0) {
    close(arrival, *send, false);
  } else {
    send->stream(packet.receive_id, packet.bytes);
    channels_to(arrival.host).put(arrival.channel, *send);
  }
  return true;
}

void Exchange::close(const Arrival& arrival, RemoteSend& send, bool withdrawn) noexcept {
  if (send.is_exposed()) {
    send.close(withdrawn);
    channels_to(arrival.host).put(arrival.channel, send);
  } else {
    send.ended(withdrawn);
  }
}

bool Exchange::on_data(const Arrival& arrival) noexcept {
  DataPacket head;
  if (!read(arrival.packet, &head)) return false;
  const Bytes piece = arrival.packet.subspan(sizeof head);
  const auto bytes = static_cast<MPI_Count>(piece.size());
  // The pieces of a message come in order, by one channel, whose lock we have.
  const auto fits = [&](const Fetch& fetch) {
    return fetch.host == arrival.host && fetch.got == head.offset &&
           bytes <= fetch.wanted - fetch.got;
  };
  gateway::IdTable<Fetch>& fetches = under_way(arrival).fetches;
  Fetch* fetch = fetches.find(head.receive_id, fits);
  if (fetch == nullptr) return false;
  datatype::unpack(fetch->request.buffer(), fetch->got, piece.data(), bytes);
  if (fetch->got + bytes < fetch->wanted) {
    fetch->got += bytes;
    return true;
  }
  fetches.take(head.receive_id, [](const Fetch&) { return true; });
  ReceiveRequest& request = fetch->request;
  delete fetch;
  request.complete();
  return true;
}

bool Exchange::on_withdraw(const Arrival& arrival) noexcept {
  WithdrawPacket packet;
  if (!read(arrival.packet, &packet)) return false;
  if (RemoteMessage* message = under_way(arrival).kept.withdraw(arrival.host, packet.send_id)) {
    free_room(message->origin);
    RemoteMessage::destroy(message);
    packet.kind = PacketKind::kWithdrawn;
    answer(arrival.channel, arrival.host, bytes_of(packet));
  }
  return true;
}

bool Exchange::on_withdrawn(const Arrival& arrival) noexcept {
  WithdrawPacket packet;
  if (!read(arrival.packet, &packet)) return false;
  const auto fits = [&](const RemoteSend& offered) { return offered.host() == arrival.host; };
  RemoteSend* send = under_way(arrival).sends.take(packet.send_id, fits);
  if (send != nullptr) close(arrival, *send, true);
  return send != nullptr;
}

bool Exchange::on_credit(const Arrival& arrival) noexcept {
  CreditPacket packet;
  if (!read(arrival.packet, &packet)) return false;
  const world::Process* const of = job_.find(packet.to);
  return of != nullptr && of->host == arrival.host &&
         send_credit_.give_back(packet.to, packet.bytes);
}

}  // namespace heddle::p2p
