#include "mpi/coll/call_queries.h"

#include <cstring>
#include <memory>

#include "mpi/coll/host_group.h"
#include "mpi/p2p/target.h"

namespace heddle::coll {

namespace {

constexpr gateway::PacketKind kQuery = gateway::kind_of(CallQueries::kModule, 0);
constexpr gateway::PacketKind kMismatch = gateway::kind_of(CallQueries::kModule, 1);
constexpr gateway::PacketKind kAgreement = gateway::kind_of(CallQueries::kModule, 2);

// relaxed: only that no two are equal.
constinit std::atomic<std::uint64_t> last_number{0};

}  // namespace

// All hosts have the same byte order and sizes.
struct CallQueries::Packet {
  gateway::PacketKind kind;
  std::uint8_t unused[3] = {};
  std::int32_t rank;  // that is waited for
  std::uint64_t context;
  std::uint64_t mark;    // the waiting member's
  std::int32_t waiting;  // its rank
  std::int32_t unused_too = 0;
  std::uint64_t number;  // the query's
};

namespace {

using Packet = CallQueries::Packet;
static_assert(sizeof(Packet) == 40);

transport::Bytes bytes_of(const Packet& packet) noexcept {
  return {reinterpret_cast<const std::byte*>(&packet), sizeof packet};
}

bool read(transport::Bytes bytes, Packet* packet) noexcept {
  if (bytes.size() != sizeof *packet) return false;
  std::memcpy(packet, bytes.data(), sizeof *packet);
  return true;
}

}  // namespace

CallQueries::CallQueries(gateway::Gateway& gateway, world::SharedParts& parts)
    : gateway_(gateway), parts_(parts) {
  gateway.receive<&CallQueries::on_query>(kQuery, *this);
  gateway.receive<&CallQueries::on_mismatch>(kMismatch, *this);
  gateway.receive<&CallQueries::on_agreement>(kAgreement, *this);
}

void attach_to(gateway::Gateway& gateway, world::SharedParts& parts) {
  gateway.add(std::make_unique<CallQueries>(gateway, parts));
}

// relaxed, all counts: read when no strand runs and no thread polls.
bool CallQueries::send(int channel, int to_host, const Packet& packet) noexcept {
  const bool sent = gateway_.by_host()[static_cast<std::size_t>(to_host)]->channels.send(
      channel, to_host, bytes_of(packet));
  if (sent) given_.fetch_add(1, std::memory_order_relaxed);
  return sent;
}

transport::Traffic CallQueries::uncounted() const noexcept {
  return {given_.load(std::memory_order_relaxed), handled_.load(std::memory_order_relaxed)};
}

std::uint64_t CallQueries::ask(comm::Comm& comm, int rank, Arrivals::Mark mark) noexcept {
  const world::Process& to = comm.group().member(rank);
  const gateway::Gateway& gateway = gateway::Gateway::here();
  channel::Channels& channels = gateway.by_host()[static_cast<std::size_t>(to.host)]->channels;
  const p2p::Target target{&comm, rank, 0, comm::Plane::kCollective};
  const int channel =
      channels.channel_of(world::here().process->number, to.number, target.key().context);
  const Packet packet{.kind = kQuery,
                      .rank = rank,
                      .context = comm.context(),
                      .mark = mark,
                      .waiting = comm.rank(),
                      .number = last_number.fetch_add(1, std::memory_order_relaxed) + 1};
  // Without memory it asks again later.
  return gateway.find<CallQueries>().send(channel, to.host, packet) ? packet.number : 0;
}

bool CallQueries::on_query(const gateway::Arrival& arrival) noexcept {
  handled_.fetch_add(1, std::memory_order_relaxed);
  Packet packet;
  if (!read(arrival.packet, &packet)) return false;
  bool mismatched = false;
  parts_.look_at(packet.context, [&](world::SharedPart& part) {
    mismatched = static_cast<HostGroup&>(part).disagrees(packet.rank, packet.mark);
  });
  packet.kind = mismatched ? kMismatch : kAgreement;
  static_cast<void>(send(arrival.channel, arrival.host, packet));
  return true;
}

bool CallQueries::on_mismatch(const gateway::Arrival& arrival) noexcept {
  handled_.fetch_add(1, std::memory_order_relaxed);
  Packet packet;
  if (!read(arrival.packet, &packet)) return false;
  parts_.look_at(packet.context, [&](world::SharedPart& part) {
    static_cast<HostGroup&>(part).take_mismatch(packet.waiting, packet.rank,
                                                Arrivals::phase_of(packet.mark));
  });
  return true;
}

bool CallQueries::on_agreement(const gateway::Arrival& arrival) noexcept {
  handled_.fetch_add(1, std::memory_order_relaxed);
  Packet packet;
  if (!read(arrival.packet, &packet)) return false;
  parts_.look_at(packet.context, [&](world::SharedPart& part) {
    static_cast<HostGroup&>(part).take_agreement(packet.waiting, Arrivals::phase_of(packet.mark),
                                                 packet.number);
  });
  return true;
}

}  // namespace heddle::coll
