#include "runtime/watch/addresses.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

namespace heddle::watch {

namespace {

constexpr int kBacklog = 4096;
constexpr int kLongestConnectMs = 5000;

Error failed(const char* what) {
  return Error::make(kErrorOther, "%s for the watch over the job's hosts: %s", what,
                     std::strerror(errno));
}

// As text; "": of another family, or one that leads nowhere else.
std::string text_of(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    const auto* ip = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &ip->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    const auto* ip = reinterpret_cast<const sockaddr_in6*>(address);
    if (IN6_IS_ADDR_LINKLOCAL(&ip->sin6_addr)) return "";
    inet_ntop(AF_INET6, &ip->sin6_addr, text, sizeof text);
  }
  return text;
}

std::string own_addresses() {
  std::string all;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return all;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    const bool useful = each->ifa_addr != nullptr && (each->ifa_flags & IFF_UP) != 0 &&
                        (each->ifa_flags & IFF_LOOPBACK) == 0;
    const std::string text = useful ? text_of(each->ifa_addr) : "";
    if (!text.empty()) all += " " + text;
  }
  freeifaddrs(first);
  return all;
}

// A connection, or -1.
int connect_within(const addrinfo& to, int limit_ms) noexcept {
  const int made = socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  if (connect(made, to.ai_addr, to.ai_addrlen) != 0) {
    pollfd waiting = {made, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    const bool connected = errno == EINPROGRESS && poll(&waiting, 1, limit_ms) == 1 &&
                           getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
    if (!connected) {
      close(made);
      return -1;
    }
  }
  return made;
}

}  // namespace

Error listen_somewhere(bool loopback_only, int* descriptor, std::string* address) {
  const int family = loopback_only ? AF_INET : AF_INET6;
  int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in6 six = {};
  six.sin6_family = AF_INET6;
  sockaddr_in four = {};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(loopback_only ? INADDR_LOOPBACK : INADDR_ANY);
  bool bound = false;
  if (made >= 0 && family == AF_INET6) {
    const int no = 0;
    setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    bound = bind(made, reinterpret_cast<const sockaddr*>(&six), sizeof six) == 0;
  }
  if (!bound) {  // also where the kernel has no IPv6
    if (made >= 0) close(made);
    made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bound = made >= 0 && bind(made, reinterpret_cast<const sockaddr*>(&four), sizeof four) == 0;
  }
  sockaddr_in6 own = {};
  socklen_t size = sizeof own;
  if (!bound || listen(made, kBacklog) != 0 ||
      getsockname(made, reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    const Error error = failed("no port");
    if (made >= 0) close(made);
    return Error::make(kErrorOther, "%s", std::string(error.text()).c_str());
  }
  *descriptor = made;
  // Both families have the port at the same place.
  *address =
      std::to_string(ntohs(own.sin6_port)) + (loopback_only ? " 127.0.0.1" : own_addresses());
  return {};
}

Error connect_to(const std::string& address, bool (*accept)(int descriptor, void* context),
                 void* context) {
  std::istringstream words(address);
  std::string port, name;
  words >> port;
  while (words >> name) {
    addrinfo hints = {};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(name.c_str(), port.c_str(), &hints, &found) != 0) continue;
    const int made = connect_within(*found, kLongestConnectMs);
    freeaddrinfo(found);
    if (made < 0) continue;
    if (accept(made, context)) return {};
    close(made);
  }
  return Error::make(kErrorOther, "host 0 cannot be reached at any of its addresses: port %s",
                     address.c_str());
}

}  // namespace heddle::watch
