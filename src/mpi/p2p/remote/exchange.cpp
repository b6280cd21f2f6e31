#include "mpi/p2p/remote/exchange.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "base/settings.h"
#include "mpi/p2p/gateway.h"
#include "mpi/p2p/port.h"
#include "mpi/p2p/receive_request.h"
#include "mpi/p2p/remote/end_of_job.h"
#include "mpi/p2p/remote/remote_read.h"
#include "mpi/p2p/send_request.h"

namespace heddle::p2p {

namespace {

Error no_memory_for(MPI_Count bytes) {
  return Error::make(MPI_ERR_NO_MEM, "no memory for sending a message of %lld bytes",
                     static_cast<long long>(bytes));
}

// The longest payload that fits into a packet with any head.
MPI_Count room_in(const transport::Transport& transport) {
  return static_cast<MPI_Count>(transport.traits().packet_bytes - sizeof(OfferPacket));
}

MPI_Count eager_limit_of(const transport::Transport& transport) {
  if (!transport.traits().lands_payloads) return Port::eager_limit();
  return settings::value(settings::Id::kNetworkEagerLimit);
}

// An arrival copies at most this many bytes without a pause.
constexpr MPI_Count kMostEager = 64 << 10;
static_assert(kMostEager + Credit::kRecord <= Credit::kMost - Credit::kBatch);  // its I2

// Says of each process whether it is of this host.
std::vector<bool> ranks_here(world::Job& job) {
  std::vector<bool> here;
  here.reserve(static_cast<std::size_t>(job.size()));
  for (int i = 0; i < job.size(); ++i) here.push_back(Port::of(job.process(i)) != nullptr);
  return here;
}

}  // namespace

Exchange::Route::Route(gateway::Route& its_way)
    : way(its_way),
      channels(way.channels),
      eager_limit(std::min({eager_limit_of(*way.transport), room_in(*way.transport), kMostEager})),
      read_bytes(static_cast<MPI_Count>(way.transport->traits().read_bytes)),
      under_way(static_cast<std::size_t>(way.transport->channels())) {}

Exchange::Exchange(world::Job& job, gateway::Gateway& gateway)
    : job_(job),
      by_host_(gateway.by_host().size()),
      send_credit_(job.size()),
      credit_returns_(static_cast<int>(by_host_.size()), ranks_here(job)) {
  for (const auto& way : gateway.routes()) {
    routes_.push_back(std::make_unique<Route>(*way));
    for (std::size_t host = 0; host < by_host_.size(); ++host) {
      if (gateway.by_host()[host] == way.get()) by_host_[host] = routes_.back().get();
    }
  }
  receive_by(gateway);
}

Exchange::~Exchange() {
  // What is left belongs to messages that no rank has received or waited for.
  for (auto& route : routes_) {
    for (UnderWay& those : route->under_way) {
      those.sends.for_each([](RemoteSend& send) { send.dropped(); });
      while (!those.landings.empty()) delete those.landings.front();
    }
  }
}

int Exchange::channel_to(const world::Process& to, const match::Key& key) noexcept {
  return channels_to(to.host).channel_of(world::here().process->number, to.number, key.context);
}

bool Exchange::send_packed(int channel, int host, Bytes head, datatype::ConstBuffer data) noexcept {
  const auto bytes = static_cast<std::size_t>(data.bytes());
  const void* adjacent = datatype::adjacent(data);
  if (adjacent != nullptr || bytes == 0) {
    return channels_to(host).send(channel, host, head,
                                  {static_cast<const std::byte*>(adjacent), bytes});
  }
  channel::PackedPacket* packet = channel::PackedPacket::make(host, head, bytes);
  if (packet == nullptr) return false;
  datatype::pack(data, 0, packet->body(), data.bytes());
  channels_to(host).put(channel, *packet);
  return true;
}

Error Exchange::send_eager(const world::Process& to, const match::Key& key,
                           datatype::ConstBuffer data) {
  const EagerPacket head{
      .to = to.number, .context = key.context, .source = key.source, .tag = key.tag};
  if (send_packed(channel_to(to, key), to.host, bytes_of(head), data)) return {};
  send_credit_.give_back(to.number, eager_cost(data.bytes()));
  return no_memory_for(data.bytes());
}

Error Exchange::send_offer(const world::Process& to, const match::Key& key,
                           datatype::ConstBuffer data, bool with_payload,
                           std::unique_ptr<RemoteSend> send, Offer* made) {
  const MPI_Count bytes = data.bytes();
  if (send == nullptr) return no_memory_for(bytes);
  RemoteSend* const offered = send.release();
  const int channel = channel_to(to, key);
  *made = {this, channel, to.host, under_way(to.host, channel).sends.add(*offered)};
  const OfferPacket head{.to = to.number,
                         .context = key.context,
                         .source = key.source,
                         .tag = key.tag,
                         .bytes = bytes,
                         .send_id = made->send_id};
  const bool whole = with_payload && fits_packet(to, bytes) && send_credit_.take(to.number, bytes);
  const bool readable = !whole && bytes > 0 && route_to(to.host).read_bytes != 0 &&
                        datatype::adjacent(data) != nullptr;
  const bool sent = whole      ? send_packed(channel, to.host, bytes_of(head), data)
                    : readable ? send_readable(channel, head, *offered)
                               : channels_to(to.host).send(channel, to.host, bytes_of(head));
  if (sent) return {};
  if (whole) send_credit_.give_back(to.number, bytes);
  under_way(to.host, channel)
      .sends.take(head.send_id, [](const RemoteSend&) { return true; })
      ->dropped();
  *made = {};
  return no_memory_for(bytes);
}

// Only the holder of the channel may expose memory, so the packet is made there.
bool Exchange::send_readable(int channel, const OfferPacket& head, RemoteSend& send) noexcept {
  auto* const offer = new (std::nothrow) ReadableOffer(send, head);
  if (offer == nullptr) return false;
  channels_to(send.host()).put(channel, *offer);
  return true;
}

Error Exchange::offer(const world::Process& to, SendRequest& request, bool with_payload) {
  std::unique_ptr<RemoteSend> send(new (std::nothrow) RequestSend(to.host, request.data, request));
  return send_offer(to, request.key, request.data, with_payload, std::move(send), &request.offer);
}

Error Exchange::offer_copy(const world::Process& to, const match::Key& key,
                           datatype::ConstBuffer data, Deposit deposit) {
  Offer offer;
  return send_offer(to, key, data, true, BufferedSend::copy_of(to.host, data, std::move(deposit)),
                    &offer);
}

void Exchange::withdraw(int host, int channel, Id send_id) noexcept {
  const WithdrawPacket packet{.send_id = send_id};
  answer(channel, host, bytes_of(packet));
}

void Exchange::answer(int channel, int host, Bytes packet) noexcept {
  if (channels_to(host).send(channel, host, packet)) return;
  end_job(MPI_ERR_NO_MEM, "no memory for an answer to another host");
}

void Exchange::free_room(int host, int channel, int to, std::int64_t bytes) noexcept {
  const std::int64_t due = credit_returns_.collect(host, to, bytes);
  if (due == 0) return;
  const CreditPacket packet{.to = to, .bytes = due};
  answer(channel, host, bytes_of(packet));
}

void Exchange::landed(int host, int channel, int to, std::int64_t taken) noexcept {
  channels_to(host).count_handled(channel);
  if (taken != 0) free_room(host, channel, to, taken);
}

void Exchange::end_taken(const RemoteMessage& message, Id receive_id, MPI_Count wanted) noexcept {
  const RemoteMessage::Origin& origin = message.origin;
  if (message.is_offer()) {
    const TakePacket packet{.send_id = origin.send_id, .receive_id = receive_id, .bytes = wanted};
    answer(origin.channel, origin.host, bytes_of(packet));
  }
  free_room(origin);
}

bool Exchange::receive(ReceiveRequest& request, RemoteMessage& message) noexcept {
  UnderWay& those = under_way(message.origin.host, message.origin.channel);
  if (message.is_offer()) those.kept.remove(message);
  MPI_Count wanted = 0;
  if (message.is_here()) {
    request.take_arrived(message.envelope(), message.data);
  } else {
    wanted = request.admit(message.envelope());
  }
  if (wanted == 0) {
    end_taken(message, 0, 0);
  } else {
    // Posted or not, it may not end before it is done: its destructor asks for a lane.
    if (request.lane == nullptr) request.lane = message.lane;
    fetch(request, message, wanted);
  }
  RemoteMessage::destroy(&message);
  return wanted == 0;
}

void Exchange::fetch(ReceiveRequest& request, const RemoteMessage& message,
                     MPI_Count wanted) noexcept {
  const RemoteMessage::Origin& from = message.origin;
  const std::span<std::byte> into =
      from.memory ? request.place_for(wanted) : std::span<std::byte>();
  if (into.empty()) {
    auto* const fetch = new Fetch{request, from.host, wanted};
    end_taken(message, under_way(from.host, from.channel).fetches.add(*fetch), wanted);
    return;
  }
  const auto piece = static_cast<std::size_t>(route_to(from.host).read_bytes);
  channels_to(from.host).put(from.channel, *new RemoteRead(request, from, into, piece));
}

void Exchange::end_read(int host, int channel, Id send_id) noexcept {
  const TakePacket packet{.send_id = send_id, .receive_id = 0, .bytes = 0};
  answer(channel, host, bytes_of(packet));
}

void Exchange::refuse(RemoteMessage& message) noexcept {
  if (message.is_offer()) {
    under_way(message.origin.host, message.origin.channel).kept.remove(message);
  }
  end_taken(message, 0, 0);
  RemoteMessage::destroy(&message);
}

void attach_to(gateway::Gateway& gateway, world::Job& job) {
  gateway.add(std::make_unique<Exchange>(job, gateway));
}

}  // namespace heddle::p2p
