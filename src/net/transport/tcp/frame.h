// frame.h — what goes over the stream between two hosts.
//
//    0       4      5    8    16
//    | bytes | kind | 0  | 0  | payload | 0 … |
//                                       to a multiple of 16, which aligns payloads in a buffer
//
//   kind        payload
//   ----------  -----------------------------------------------------------------------
//   kPacket     a packet
//   kRead       a ReadFrame: memory that the sender wants to read
//   kAnswer     the bytes of the oldest kRead that has no answer yet
//   kFarewell   none: the sender says nothing more
//
// A stream begins with a greeting (net/door/greeting.h); so only hosts of the job write one. A
// frame that makes no sense ends the stream.
//
// Integers in the byte order of the machine: x86-64 only. Thread safety: plain data.

#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::transport {

enum class FrameKind : std::uint8_t { kPacket = 1, kRead, kAnswer, kFarewell };

struct FrameHead {
  std::uint32_t bytes = 0;  // of the payload
  FrameKind kind = FrameKind::kPacket;
  std::uint8_t zeros[11] = {};
};
static_assert(sizeof(FrameHead) == 16);

struct ReadFrame {
  std::uint64_t key = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
static_assert(sizeof(ReadFrame) == 24);

inline constexpr std::size_t kFrameAlignment = 16;

constexpr std::size_t padding_behind(std::size_t bytes) noexcept {
  return (kFrameAlignment - bytes % kFrameAlignment) % kFrameAlignment;
}
constexpr std::size_t frame_bytes(std::size_t payload) noexcept {
  return sizeof(FrameHead) + payload + padding_behind(payload);
}

// The largest payloads.
struct FrameLimits {
  std::size_t packet_bytes = 0, read_bytes = 0;
};

// False: a frame of this kind cannot have this length. The reader checks the exact length of an
// answer, which it knows.
constexpr bool makes_sense(const FrameHead& head, const FrameLimits& limits) noexcept {
  switch (head.kind) {
    case FrameKind::kPacket:
      return head.bytes <= limits.packet_bytes;
    case FrameKind::kRead:
      return head.bytes == sizeof(ReadFrame);
    case FrameKind::kAnswer:
      return head.bytes <= limits.read_bytes;
    case FrameKind::kFarewell:
      return head.bytes == 0;
  }
  return false;
}

}  // namespace heddle::transport
