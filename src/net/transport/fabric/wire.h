// wire.h — what a packet looks like on the fabric, and what is checked when one comes.
//
//    0        8         16       20       24       28        30     31        32
//    | key    | number  | bytes  | from   | to     | channel | kind | version | payload | 0 … |
//                                                                              to a multiple of 16
//
// Integers in the byte order of the machine: x86-64 only. The key belongs to the job; a process
// that does not know it cannot be heard. Numbers count the packets from one endpoint to another,
// from 0 on, so a packet that is sent again is not delivered again. The padding keeps packets
// aligned that lie behind each other in a buffer.
//
// Thread safety: plain data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "net/transport/transport.h"

namespace heddle::transport {

enum class WireKind : std::uint8_t { kPacket = 0, kFarewell = 1 };

struct WireHead {
  static constexpr std::uint8_t kVersion = 1;

  std::uint64_t key = 0;
  std::uint64_t number = 0;
  std::uint32_t bytes = 0;  // of the payload
  std::int32_t from = 0, to = 0;
  std::uint16_t channel = 0;
  WireKind kind = WireKind::kPacket;
  std::uint8_t version = kVersion;
};
static_assert(sizeof(WireHead) == 32);

inline constexpr std::size_t kWireAlignment = 16;

constexpr std::size_t wire_bytes(std::size_t payload) noexcept {
  return (sizeof(WireHead) + payload + kWireAlignment - 1) / kWireAlignment * kWireAlignment;
}

// The end at which packets arrive.
struct WireEnd {
  std::uint64_t key = 0;
  int host = 0, hosts = 0, channel = 0;
  std::size_t packet_bytes = 0;  // the largest payload
};

// Reads the head of what has come. False if it makes no sense for this end; its number is not
// looked at.
inline bool read_head(Bytes came, const WireEnd& end, WireHead* head) noexcept {
  if (came.size() < sizeof *head) return false;
  std::memcpy(head, came.data(), sizeof *head);
  return head->version == WireHead::kVersion && head->key == end.key && head->to == end.host &&
         head->channel == end.channel && head->from >= 0 && head->from < end.hosts &&
         head->from != end.host && head->bytes <= end.packet_bytes &&
         came.size() == wire_bytes(head->bytes) &&
         (head->kind == WireKind::kPacket ||
          (head->kind == WireKind::kFarewell && head->bytes == 0));
}

// What to do with a packet whose head makes sense.
enum class WireArrival : std::uint8_t {
  kDeliver,
  kFarewell,  // the sender says nothing more
  kDrop,      // it came already, or after a farewell
  kGap,       // one before it is missing: the sender is lost
};

// The packets of one sender, as they come.
struct WireSequence {
  std::uint64_t next = 0;  // number
  bool has_ended = false;  // a farewell has come

  WireArrival take(const WireHead& head) noexcept {
    if (head.number > next) return WireArrival::kGap;
    if (head.number < next || has_ended) return WireArrival::kDrop;
    ++next;
    has_ended = head.kind == WireKind::kFarewell;
    return has_ended ? WireArrival::kFarewell : WireArrival::kDeliver;
  }
};

}  // namespace heddle::transport
