// fabric.h — a transport within one process, with faults that a seed chooses: for tests only. The
// library does not contain it; tests hand it over (runtime/carrier/run_on_hosts.h).
//
// Its hosts are only numbers. It keeps the promises of transport.h, and breaks everything else on
// which the layers above might rely:
//   delay          a packet is delivered only after its endpoint was polled a number of times
//   reordering     packets of different hosts overtake each other at random, those of one endpoint
//                  and host never do (T2)
//   reads          what is read comes after a number of polls, the pieces in any order
//   landings       of a packet the begin comes first, of any length, and its end after a number of
//                  polls (T10)
//   back-pressure  a link has few places, and now and then refuses a packet although it has room
//   loss           cut() takes a host off the fabric (T6)
// Delays are counted in polls, not in time: nothing here depends on how fast the machine is.
//
// A host's address is its port: the number of its attach(), which is not its number in the job.
//
// Thread safety: attach() and connect() one thread, before packets; cut() any thread. The rest see
// transport.h; the queues between hosts have locks of their own.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "net/transport/factory.h"
#include "net/transport/routes.h"

namespace heddle::transport {

struct Faults {
  std::uint64_t seed = 1;
  int longest_delay = 0;  // in polls
  int places = 64;        // packets under way from one endpoint to one host
  int refused_in = 0;     // one in this many attempts is refused; 0: none
  std::size_t packet_bytes = 16 << 10;
  std::size_t read_bytes = 0;  // 0: no remote reads
  bool lands = false;          // it asks where payloads go

  // Harsh faults that differ with the seed. 0: no faults.
  static Faults from_seed(std::uint64_t seed) noexcept;
};

class FakeFabric {
 public:
  // Makes a fabric with room for `hosts` hosts.
  FakeFabric(int hosts, const Faults& faults);
  ~FakeFabric();  // drops what is under way
  FakeFabric(FakeFabric&&) = delete;

  // The fabric as this host sees it. It must outlive the transport.
  std::unique_ptr<Transport> attach(const Opening& opening);

  // From now on this host of the job is lost to the others, and they to it.
  void cut(int host) noexcept;

  // How many packets were accepted from this host.
  std::uint64_t packets_from(int host) noexcept;

 private:
  class FakeEndpoint;
  class FakeTransport;
  struct Queue;  // what is under way to one endpoint
  struct Port {
    int host = 0;  // that is attached here
    void (*wake)() noexcept = nullptr;
    std::vector<std::unique_ptr<Queue>> queues;  // by channel
    std::atomic<bool> cut{false};
    std::atomic<std::uint64_t> accepted{0};
  };

  Port& port(int number) noexcept { return ports_[static_cast<std::size_t>(number)]; }
  Queue& queue_to(int port, int channel) noexcept;
  bool cut_off(int port_a, int port_b) noexcept;
  void expose(Bytes memory, RemoteMemory* how) noexcept;
  void conceal(const RemoteMemory& memory) noexcept;
  // False: no memory that is exposed has this place.
  bool copy(const Endpoint::Read& read) noexcept;

  const Faults faults_;
  std::vector<Port> ports_;
  int attached_ = 0;  // ports from here on are free
  std::atomic<int> cuts_{0};

  struct Exposed;
  const std::unique_ptr<Exposed> exposed_;
};

// These hosts of a job, attached in this order and connected with each other; `opening` without its
// host.
std::vector<std::unique_ptr<Transport>> connect_all(FakeFabric& fabric,
                                                    const std::vector<int>& hosts,
                                                    Opening opening = {});
// The hosts 0 to hosts - 1.
std::vector<std::unique_ptr<Transport>> connect_all(FakeFabric& fabric, int hosts,
                                                    Opening opening = {});

// The routes of a host of 0 to hosts - 1 whose transport leads to all others.
Routes routes_by(std::unique_ptr<Transport> transport, int hosts);

// Which hosts a FakeFactory leads to.
inline bool everywhere(const Location&, const Location&) noexcept {
  return true;
}
inline bool on_a_node(const Location& from, const Location& to) noexcept {
  return from.node == to.node;
}

// All hosts of a job attach to `fabric`, as a launcher would make them.
class FakeFactory final : public Factory {
 public:
  using Reaches = std::function<bool(const Location& from, const Location& to)>;

  FakeFactory(FakeFabric& fabric, Reaches reaches)
      : fabric_(fabric), reaches_(std::move(reaches)) {}

  std::string_view name() const noexcept override { return "fake"; }
  bool reaches(const Location& from, const Location& to) const noexcept override {
    return reaches_(from, to);
  }
  Error open(const Opening& opening, std::unique_ptr<Transport>* made) override {
    *made = fabric_.attach(opening);
    return {};
  }

 private:
  FakeFabric& fabric_;
  const Reaches reaches_;
};

}  // namespace heddle::transport
