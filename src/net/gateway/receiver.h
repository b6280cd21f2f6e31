// receiver.h — what a module has at a host's gateway: it receives the packets of the module's
// kinds.
//
// Thread safety: see gateway.h.

#pragma once

#include "net/transport/transport.h"

namespace heddle::gateway {

// One packet, and where it came from: a host that this one reaches, by a channel of the way to
// there.
struct Arrival {
  int channel, host;
  transport::Bytes packet;  // its first byte is its kind; the memory is the transport's
};

// A class derived from it names its module: `static constexpr Module kModule`.
class Receiver {
 public:
  virtual ~Receiver() = default;

  // The host cannot send any more, nor receive. Told once for each channel.
  virtual void on_lost(int host) noexcept = 0;

  // Counts those of its packets that no proof of deadlock counts (deadlock.h): they end no wait, or
  // only one that knows of it. For a thread that knows that no packet is sent or handled.
  virtual transport::Traffic uncounted() const noexcept { return {}; }
};

}  // namespace heddle::gateway
