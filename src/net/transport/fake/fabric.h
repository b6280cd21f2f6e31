// fabric.h — a transport within one process, with faults that a seed chooses: for tests.
//
// Its hosts are only numbers. It keeps what transport.h promises and breaks whatever else somebody
// might count on:
//   delay          a packet is delivered only after its endpoint was polled a number of times
//   reordering     packets of different hosts overtake each other at random, those of one endpoint
//                  and host never do (T2)
//   back-pressure  a link has few places; and now and then one that has room refuses
// Delays are counted in polls, not in time: nothing here depends on how fast the machine is.
//
// Thread safety: see transport.h; the queues between hosts have locks of their own.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/transport/transport.h"

namespace heddle::transport {

struct Faults {
  std::uint64_t seed = 1;
  int longest_delay = 0;  // in polls
  int places = 64;        // packets under way from one endpoint to one host
  int refused_in = 0;     // one in so many attempts is refused; 0: none
  std::size_t packet_bytes = 16 << 10;

  // Harsh ones that differ with the seed. 0: none.
  static Faults from_seed(std::uint64_t seed) noexcept;
};

class FakeFabric {
 public:
  FakeFabric(int hosts, int channels, const Faults& faults);
  ~FakeFabric();  // drops what is under way
  FakeFabric(const FakeFabric&) = delete;
  FakeFabric& operator=(const FakeFabric&) = delete;

  // The fabric as this host sees it. It must outlive the transport.
  std::unique_ptr<Transport> attach(int host);

 private:
  class FakeEndpoint;
  class FakeTransport;
  struct Queue;  // what is under way to one endpoint

  Queue& queue_to(int host, int channel) noexcept;

  const int hosts_, channels_;
  const Faults faults_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

}  // namespace heddle::transport
