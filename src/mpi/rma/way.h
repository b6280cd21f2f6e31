// way.h — from a strand to the process of a member: packets about a window, and answers.
//
// Thread safety: a Way is its strand's. ask_and_wait() may switch.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "mpi/rma/answer.h"
#include "mpi/rma/packets.h"
#include "mpi/rma/window.h"
#include "net/gateway/gateway.h"

namespace heddle::rma {

// The most that a packet carries behind its head: a piece of 64 KiB, and where it goes. Over TCP
// that is a packet.
inline constexpr std::size_t kMostBytes = (64 << 10) + sizeof(TargetRun);

// The way from the calling rank to the process of a member.
class Way {
 public:
  Way(int member, const Window& window);

  std::size_t room() const noexcept {
    return std::min(channels_.packet_bytes() - sizeof(WindowPacket), kMostBytes);
  }
  // False: there is no memory.
  bool send(const WindowPacket& head) const noexcept { return send(bytes_of(head), {}); }
  // From where it lies, if there is room; else a copy.
  bool send(transport::Bytes head, transport::Bytes body) const noexcept {
    return channels_.send(channel_, process_.host, head, body);
  }
  channel::PackedPacket* make(const WindowPacket& head, std::size_t bytes) const noexcept {
    return channel::PackedPacket::make(process_.host, bytes_of(head), bytes);
  }
  void put(channel::PackedPacket& packet) const noexcept { channels_.put(channel_, packet); }

 private:
  static transport::Bytes bytes_of(const WindowPacket& head) noexcept {
    return {reinterpret_cast<const std::byte*>(&head), sizeof head};
  }

  const world::Process& process_;
  channel::Channels& channels_;
  const int channel_;
};

WindowPacket head_of(gateway::PacketKind kind, int target, const Window& window) noexcept;

// A name for the answer, which ends when it comes, or by forget().
std::uint64_t name(Answer& answer);
void forget(std::uint64_t name);

// Asks the target's process, and waits for the status of the answer. False: there is no memory.
[[nodiscard]] bool ask_and_wait(WindowPacket head, const Window& window, int* status);

Error no_memory();

}  // namespace heddle::rma
