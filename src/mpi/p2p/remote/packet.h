// packet.h — what hosts say to each other about messages: the formats on the wire.
//
//   sender's host                       receiver's host
//   kEager  ──── payload ─────────────►  matched, or kept                  small, standard or ready
//           ◄─── kCredit, so many bytes   now and then, for what was taken  (credit.h)
//
//   kOffer  ──── payload ─────────────►  kept; matched: copied             small, synchronous or
//           ◄─── kTake, nothing ───────                                    buffered
//
//   kOffer  ───────────────────────────► kept; matched: a Fetch begins     large, or no credit
//           ◄─── kTake, so many bytes ──
//   kData   ──── piece ───────────────►  unpacked in place
//   kData   ──── last piece ──────────►  … and the receive is complete
//
//   kReadable ─────────────────────────► kept; matched: a RemoteRead begins
//           ◄─── kTake, nothing ───────  … when all has been read
//                                        as the offer before, where the transport lets hosts read
//                                        and the payload is dense (or kTake, so many bytes, as
//                                        above, where the receiver's layout is not)
//
//   kWithdraw ────────────────────────►  still kept? dropped               cancel (MPI 5.0 §3.8.4)
//           ◄─── kWithdrawn ───────────  no answer if it was matched: kTake is on its way
//
// Every packet is one of these structs, then the payload, if any, packed. Ids are names that their
// host has given (net/gateway/id_table.h) and that the other host sends back. All hosts have the
// same byte order and sizes. A packet that makes no sense is dropped.
//
// Thread safety: plain data.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "mpi/match/envelope.h"
#include "mpi/p2p/carrier.h"
#include "net/gateway/kinds.h"
#include "net/transport/transport.h"

namespace heddle::p2p {

using transport::Bytes;

enum class PacketKind : gateway::PacketKind {
  kEager = gateway::kind_of(gateway::Module::kMessages, 1),
  kOffer,
  kTake,
  kData,
  kWithdraw,
  kWithdrawn,
  kCredit,
  kReadable
};

struct EagerPacket {
  PacketKind kind = PacketKind::kEager;
  std::uint8_t unused[3] = {};
  std::int32_t to;        // the receiving process's number in its job
  std::uint64_t context;  // the envelope
  std::int32_t source;
  std::int32_t tag;

  match::Key key() const noexcept { return {context, source, tag}; }
};
static_assert(sizeof(EagerPacket) == 24);

struct OfferPacket {
  PacketKind kind = PacketKind::kOffer;
  std::uint8_t unused[3] = {};
  std::int32_t to;
  std::uint64_t context;
  std::int32_t source;
  std::int32_t tag;
  std::int64_t bytes;  // of the message. Either all of them follow, or none
  Id send_id;

  match::Key key() const noexcept { return {context, source, tag}; }
};
static_assert(sizeof(OfferPacket) == 40);

// As an OfferPacket without payload.
struct ReadablePacket {
  OfferPacket offer;
  transport::RemoteMemory memory;  // where the payload is
};
static_assert(sizeof(ReadablePacket) == 56);

struct TakePacket {
  PacketKind kind = PacketKind::kTake;
  std::uint8_t unused[7] = {};
  Id send_id;
  Id receive_id;       // if bytes are wanted
  std::int64_t bytes;  // that are wanted still
};
static_assert(sizeof(TakePacket) == 32);

struct DataPacket {
  PacketKind kind = PacketKind::kData;
  std::uint8_t unused[7] = {};
  Id receive_id;
  std::int64_t offset;  // in the packed form
};
static_assert(sizeof(DataPacket) == 24);

// kWithdraw and kWithdrawn.
struct WithdrawPacket {
  PacketKind kind = PacketKind::kWithdraw;
  std::uint8_t unused[7] = {};
  Id send_id;
};
static_assert(sizeof(WithdrawPacket) == 16);

struct CreditPacket {
  PacketKind kind = PacketKind::kCredit;
  std::uint8_t unused[3] = {};
  std::int32_t to;     // the receiving process that the credit is for
  std::int64_t bytes;  // that it has room for again
};
static_assert(sizeof(CreditPacket) == 16);

template <class Packet>
Bytes bytes_of(const Packet& packet) noexcept {
  return std::as_bytes(std::span(&packet, 1));
}

// False: it is too short.
template <class Packet>
bool read(Bytes bytes, Packet* packet) noexcept {
  if (bytes.size() < sizeof *packet) return false;
  std::memcpy(packet, bytes.data(), sizeof *packet);
  return true;
}

}  // namespace heddle::p2p
