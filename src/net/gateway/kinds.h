// kinds.h — the first byte of each packet between hosts: which module it is for, and what it says
// to that module.
//
//    7      4 3      0
//   ┌────────┬────────┐
//   │ module │ number │    0 is no kind
//   └────────┴────────┘
//
//   module         its kinds stand in
//   -------------  ---------------------------
//   kMessages      mpi/p2p/remote/packet.h
//   kCallQueries   mpi/coll/call_queries.h
//   kWindows       mpi/rma/packets.h
//
// A module that talks to other hosts takes the next line. All hosts of a job are of one build, so
// they agree.
//
// Thread safety: values.

#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::gateway {

enum class Module : std::uint8_t { kMessages, kCallQueries, kWindows, kCount };

using PacketKind = std::uint8_t;

constexpr std::size_t kKinds = 256;

// `number`: 1 to 15; also 0, but of the first module.
constexpr PacketKind kind_of(Module module, int number) noexcept {
  return static_cast<PacketKind>(static_cast<int>(module) << 4 | number);
}

}  // namespace heddle::gateway
