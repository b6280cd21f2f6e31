// factory.h — a kind of transport: which hosts it can lead to, and how one is opened.
//
// The factories of a job stand in one order on all its hosts (runtime/ways/transports.h). Two hosts
// talk
// by the first one that reaches from the one to the other.
//
// Thread safety: one thread at a time.

#pragma once

#include <memory>
#include <string_view>

#include "net/transport/transport.h"

namespace heddle::transport {

// The place of a host.
struct Location {
  int host = 0;  // its number in the job
  int node = 0;  // the machine that it runs on
};

class Factory {
 public:
  virtual ~Factory() = default;

  // Its name in messages to the user.
  virtual std::string_view name() const noexcept = 0;

  // Both hosts must get the same answer: reaches(a, b) equals reaches(b, a). It depends only on its
  // arguments and on what is the same on all hosts.
  virtual bool reaches(const Location& from, const Location& to) const noexcept = 0;

  // Fails if the host lacks what is needed: a library, a device, a permission.
  virtual Error open(const Opening& opening, std::unique_ptr<Transport>* made) = 0;
};

}  // namespace heddle::transport
