// transport.h — a way to other hosts, as the layers above see it: packets, and nothing about what they
// mean.
//
//   host 0                                        host 1
//   Transport ─┬─ Endpoint 0  ◄───────────────►  Endpoint 0 ─┬─ Transport
//              ├─ Endpoint 1  ◄───────────────►  Endpoint 1 ─┤
//              └─ …                               …          ┘
//
// An endpoint talks with the endpoints of its own number on other hosts; they share nothing, so
// several threads use several endpoints without meeting. A packet is one virtual call.
//
// What a transport promises
//   T1  A packet that try_send() has accepted arrives once, whole and unchanged.
//   T2  Packets from one endpoint to one host arrive in the order in which they were accepted.
//       Nothing else about order: not between endpoints, not between packets of different hosts.
//   T3  What was refused may be tried again; it will be accepted some time if both ends are polled.
//   T4  Packets for an endpoint arrive inside its poll() and nowhere else.
//   T5  After a packet has come, somebody polls: the transport calls ult::nudge(), by itself or by
//       what watches its file descriptor.
//
// Thread safety: an endpoint is used by one thread at a time (net/channel sees to that); different
// ones at once. Transport: constant once made.

#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace heddle::transport {

using Bytes = std::span<const std::byte>;

// Whom arrived packets are delivered to.
class Upcall {
 public:
  // The packet is gone when this returns. It may send, on this endpoint, too; it never switches.
  virtual void on_packet(int channel, int from_host, Bytes packet) noexcept = 0;

 protected:
  ~Upcall() = default;
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Sends head and body as one packet; both may be used again when this returns. False: full, later.
  // Requires that together they are no longer than Transport::packet_bytes().
  virtual bool try_send(int to_host, Bytes head, Bytes body) noexcept = 0;

  // Delivers some of the packets that have come. True if there were any, or if packets have come
  // that only more polling will deliver.
  virtual bool poll() noexcept = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int host() const noexcept = 0;  // this one's number
  virtual int hosts() const noexcept = 0;
  virtual int channels() const noexcept = 0;  // how many endpoints there are, the same on all hosts
  virtual std::size_t packet_bytes() const noexcept = 0;  // of the largest packet

  // The endpoint of this number, once.
  virtual std::unique_ptr<Endpoint> open(int channel, Upcall& upcall) = 0;
};

}  // namespace heddle::transport
