// addresses.h — where this machine can be reached by the job's other hosts, ports there, and
// connections to them.
//
// Which addresses: those of the interfaces whose names begin as FI_TCP_IFACE says (libfabric's
// variable, which users of MPIs know), else of all interfaces but the loopback. A job on one node
// has the loopback alone.
//
// Thread safety: any thread.

#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::door {

// IPv4's stand in it as IPv6's do (::ffff:10.0.0.1).
struct Ip {
  std::uint8_t bytes[16] = {};
};

inline constexpr std::size_t kMostAddresses = 8;

// Finds at least one address.
Error find_own_addresses(bool on_one_node, std::vector<Ip>* found);

// Opens the same port at each of the addresses.
Error listen_at(std::span<const Ip> addresses, std::vector<int>* descriptors, std::uint16_t* port);

// Begins to connect; -1: it cannot. The descriptor is writable when it has ended, well or not, and
// does not wait for anything.
int begin_to_connect(const Ip& address, std::uint16_t port) noexcept;
// How it has ended: 0 or an errno.
int end_of_connect(int descriptor) noexcept;

}  // namespace heddle::door
