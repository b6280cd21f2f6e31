// routes.h — the connected transports of one host, and which of them leads to each other host.
//
// Thread safety: plain data.

#pragma once

#include <memory>
#include <vector>

#include "net/transport/transport.h"

namespace heddle::transport {

struct Routes {
  static constexpr int kNone = -1;

  std::vector<std::unique_ptr<Transport>> transports;
  std::vector<int> to_host;  // by host: an index of transports; kNone: the host itself
};

}  // namespace heddle::transport
