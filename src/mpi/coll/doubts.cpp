#include "mpi/coll/doubts.h"

#include <cstring>
#include <memory>

#include "mpi/coll/meeting.h"
#include "mpi/p2p/target.h"

namespace heddle::coll {

namespace {

constexpr gateway::Kind kDoubt = gateway::kind_of(Doubts::kModule, 0);
constexpr gateway::Kind kDenial = gateway::kind_of(Doubts::kModule, 1);

// All hosts have the same byte order and sizes.
struct Packet {
  gateway::Kind kind;
  std::uint8_t unused[3] = {};
  std::int32_t rank;  // that is waited for
  std::uint64_t context;
  std::uint64_t mark;    // the waiting member's
  std::int32_t waiting;  // its rank
  std::int32_t unused_too = 0;
};
static_assert(sizeof(Packet) == 32);

transport::Bytes bytes_of(const Packet& packet) noexcept {
  return {reinterpret_cast<const std::byte*>(&packet), sizeof packet};
}

bool read(transport::Bytes bytes, Packet* packet) noexcept {
  if (bytes.size() != sizeof *packet) return false;
  std::memcpy(packet, bytes.data(), sizeof *packet);
  return true;
}

}  // namespace

Doubts::Doubts(gateway::Gateway& gateway, world::SharedParts& parts)
    : gateway_(gateway), parts_(parts) {
  gateway.receive<&Doubts::on_doubt>(kDoubt, *this);
  gateway.receive<&Doubts::on_denial>(kDenial, *this);
}

void attach_to(gateway::Gateway& gateway, world::SharedParts& parts) {
  gateway.add(std::make_unique<Doubts>(gateway, parts));
}

void Doubts::ask(comm::Comm& comm, int rank, Arrivals::Mark mark) noexcept {
  const world::Process& to = comm.group().member(rank);
  channel::Channels& channels =
      gateway::Gateway::here().by_host()[static_cast<std::size_t>(to.host)]->channels;
  const p2p::Target target{&comm, rank, 0, comm::Plane::kCollective};
  const int channel =
      channels.channel_of(world::here().process->number, to.number, target.key().scope);
  const Packet packet{.kind = kDoubt,
                      .rank = rank,
                      .context = comm.context(),
                      .mark = mark,
                      .waiting = comm.rank()};
  // Without memory it asks again later.
  static_cast<void>(channels.send(channel, to.host, bytes_of(packet)));
}

bool Doubts::on_doubt(const gateway::Arrival& arrival) noexcept {
  Packet packet;
  if (!read(arrival.packet, &packet)) return false;
  bool denied = false;
  parts_.look_at(packet.context, [&](world::SharedPart& part) {
    denied = static_cast<Meeting&>(part).denies(packet.rank, packet.mark);
  });
  if (!denied) return true;
  packet.kind = kDenial;
  static_cast<void>(gateway_.by_host()[static_cast<std::size_t>(arrival.host)]->channels.send(
      arrival.channel, arrival.host, bytes_of(packet)));
  return true;
}

bool Doubts::on_denial(const gateway::Arrival& arrival) noexcept {
  Packet packet;
  if (!read(arrival.packet, &packet)) return false;
  parts_.look_at(packet.context, [&](world::SharedPart& part) {
    static_cast<Meeting&>(part).take_denial(packet.waiting, packet.rank,
                                            Arrivals::turn_of(packet.mark));
  });
  return true;
}

}  // namespace heddle::coll
