#include "net/door/addresses.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace heddle::door {

namespace {

constexpr int kBacklog = 4096;
// Another program may have the first one's port at another address.
constexpr int kTries = 16;

struct SocketAddress {
  union {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
  } of = {};
  socklen_t size = 0;
};

bool is_four(const Ip& address) noexcept {
  constexpr std::uint8_t kPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(address.bytes, kPrefix, sizeof kPrefix) == 0;
}

SocketAddress socket_address(const Ip& address, std::uint16_t port) noexcept {
  SocketAddress made;
  if (is_four(address)) {
    made.of.four.sin_family = AF_INET;
    made.of.four.sin_port = htons(port);
    std::memcpy(&made.of.four.sin_addr, address.bytes + 12, 4);
    made.size = sizeof made.of.four;
  } else {
    made.of.six.sin6_family = AF_INET6;
    made.of.six.sin6_port = htons(port);
    std::memcpy(&made.of.six.sin6_addr, address.bytes, sizeof address.bytes);
    made.size = sizeof made.of.six;
  }
  return made;
}

Ip ip_of(const in_addr& four) noexcept {
  Ip ip;
  ip.bytes[10] = ip.bytes[11] = 0xff;
  std::memcpy(ip.bytes + 12, &four, sizeof four);
  return ip;
}

// False: of another family, or it leads to no other machine.
bool take(const sockaddr* address, Ip* ip) noexcept {
  if (address->sa_family == AF_INET) {
    *ip = ip_of(reinterpret_cast<const sockaddr_in*>(address)->sin_addr);
    return true;
  }
  if (address->sa_family != AF_INET6) return false;
  const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  std::memcpy(ip->bytes, &six, sizeof six);
  return !IN6_IS_ADDR_LINKLOCAL(&six);
}

// 0: any.
int listen_one(const Ip& address, std::uint16_t port) noexcept {
  const SocketAddress at = socket_address(address, port);
  const int made = socket(at.of.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  if (bind(made, &at.of.any, at.size) == 0 && listen(made, kBacklog) == 0) return made;
  const int error = errno;
  close(made);
  errno = error;
  return -1;
}

std::uint16_t port_of(int descriptor) noexcept {
  SocketAddress own;
  own.size = sizeof own.of;
  if (getsockname(descriptor, &own.of.any, &own.size) != 0) return 0;
  // Both families have it at the same place.
  return ntohs(own.of.four.sin_port);
}

}  // namespace

Error find_own_addresses(bool on_one_node, std::vector<Ip>* found) {
  found->clear();
  if (on_one_node) {
    found->push_back(ip_of({.s_addr = htonl(INADDR_LOOPBACK)}));
    return {};
  }
  const char* const named = std::getenv("FI_TCP_IFACE");
  const bool is_named = named != nullptr && named[0] != '\0';
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) first = nullptr;
  std::string others;
  std::vector<Ip> six;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    if (each->ifa_addr->sa_family == AF_INET) {
      others += (others.empty() ? "" : ", ") + std::string(each->ifa_name);
    }
    const bool is_wanted = is_named ? std::string_view(each->ifa_name).starts_with(named)
                                    : (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (!is_wanted) continue;
    Ip ip;
    if (take(each->ifa_addr, &ip)) (is_four(ip) ? *found : six).push_back(ip);
  }
  if (first != nullptr) freeifaddrs(first);
  found->insert(found->end(), six.begin(), six.end());
  found->resize(std::min(found->size(), kMostAddresses));
  if (!found->empty()) return {};
  if (!is_named) return Error::make(kErrorOther, "this node has no address on a network");
  return Error::make(kErrorOther,
                     "FI_TCP_IFACE is '%s', which is no network interface here; there are %s: name "
                     "one of them, or unset it",
                     named, others.c_str());
}

Error listen_at(std::span<const Ip> addresses, std::vector<int>* descriptors, std::uint16_t* port) {
  for (int i = 0; i < kTries; ++i) {
    *port = 0;
    for (const Ip& each : addresses) {
      const int made = listen_one(each, *port);
      if (made < 0) break;
      descriptors->push_back(made);
      if (*port == 0) *port = port_of(made);
    }
    if (descriptors->size() == addresses.size()) return {};
    const int error = errno;
    for (const int each : *descriptors) close(each);
    descriptors->clear();
    errno = error;
  }
  return Error::make(kErrorOther, "no port for the job's other hosts: %s", std::strerror(errno));
}

int begin_to_connect(const Ip& address, std::uint16_t port) noexcept {
  const SocketAddress to = socket_address(address, port);
  const int made = socket(to.of.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  if (connect(made, &to.of.any, to.size) == 0 || errno == EINPROGRESS) return made;
  close(made);
  return -1;
}

int end_of_connect(int descriptor) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

}  // namespace heddle::door
