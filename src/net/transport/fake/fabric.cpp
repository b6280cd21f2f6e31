#include "net/transport/fake/fabric.h"

#include <cassert>
#include <deque>
#include <utility>

#include "base/spin_lock.h"
#include "exec/ult/poller.h"

namespace heddle::transport {

namespace {

// splitmix64
class Dice {
 public:
  explicit Dice(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t below(std::uint64_t limit) noexcept {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  std::uint64_t state_;
};

constexpr int kDeliveriesPerPoll = 8;

struct Packet {
  std::vector<std::byte> bytes;
  int polls_left;
};

}  // namespace

Faults Faults::from_seed(std::uint64_t seed) noexcept {
  if (seed == 0) return {};
  Dice dice(seed);
  Faults faults;
  faults.seed = seed;
  faults.longest_delay = static_cast<int>(dice.below(30));
  faults.places = 1 + static_cast<int>(dice.below(8));
  faults.refused_in = 2 + static_cast<int>(dice.below(6));
  return faults;
}

struct FakeFabric::Queue {
  Queue(int hosts, std::uint64_t seed) : links(static_cast<std::size_t>(hosts)), dice(seed) {}

  SpinLock lock;                          // guards the rest
  std::vector<std::deque<Packet>> links;  // by sending host
  Dice dice;
  int under_way = 0;
};

class FakeFabric::FakeEndpoint final : public Endpoint {
 public:
  FakeEndpoint(FakeFabric& fabric, int host, int channel, Upcall& upcall) noexcept
      : fabric_(fabric), host_(host), channel_(channel), upcall_(upcall) {}

  bool try_send(int to_host, Bytes head, Bytes body) noexcept override {
    assert(head.size() + body.size() <= fabric_.faults_.packet_bytes);
    const Faults& faults = fabric_.faults_;
    Packet packet{std::vector<std::byte>(head.begin(), head.end()), 0};
    packet.bytes.insert(packet.bytes.end(), body.begin(), body.end());
    Queue& queue = fabric_.queue_to(to_host, channel_);
    {
      SpinGuard guard(queue.lock);
      std::deque<Packet>& link = queue.links[static_cast<std::size_t>(host_)];
      if (static_cast<int>(link.size()) >= faults.places) return false;
      if (faults.refused_in != 0 && queue.dice.below(faults.refused_in) == 0) return false;
      packet.polls_left = static_cast<int>(queue.dice.below(faults.longest_delay + 1));
      link.push_back(std::move(packet));
      ++queue.under_way;
    }
    ult::nudge();
    return true;
  }

  bool poll() noexcept override {
    Queue& queue = fabric_.queue_to(host_, channel_);
    for (int i = 0; i < kDeliveriesPerPoll; ++i) {
      Packet packet;
      int from = 0;
      {
        SpinGuard guard(queue.lock);
        if (queue.under_way == 0) return i != 0;
        if (!take_one(queue, &packet, &from)) return true;
      }
      upcall_.on_packet(channel_, from, packet.bytes);
    }
    return true;
  }

 private:
  // Of the links whose first packet has waited long enough, any. With the lock.
  static bool take_one(Queue& queue, Packet* packet, int* from) noexcept {
    const std::size_t count = queue.links.size();
    const std::size_t first = queue.dice.below(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t host = (first + i) % count;
      std::deque<Packet>& link = queue.links[host];
      if (link.empty() || link.front().polls_left-- > 0) continue;
      *packet = std::move(link.front());
      *from = static_cast<int>(host);
      link.pop_front();
      --queue.under_way;
      return true;
    }
    return false;
  }

  FakeFabric& fabric_;
  const int host_, channel_;
  Upcall& upcall_;
};

class FakeFabric::FakeTransport final : public Transport {
 public:
  FakeTransport(FakeFabric& fabric, int host) noexcept : fabric_(fabric), host_(host) {}

  int host() const noexcept override { return host_; }
  int hosts() const noexcept override { return fabric_.hosts_; }
  int channels() const noexcept override { return fabric_.channels_; }
  std::size_t packet_bytes() const noexcept override { return fabric_.faults_.packet_bytes; }
  std::unique_ptr<Endpoint> open(int channel, Upcall& upcall) override {
    return std::make_unique<FakeEndpoint>(fabric_, host_, channel, upcall);
  }

 private:
  FakeFabric& fabric_;
  const int host_;
};

FakeFabric::FakeFabric(int hosts, int channels, const Faults& faults)
    : hosts_(hosts), channels_(channels), faults_(faults) {
  const int queues = hosts * channels;
  for (int i = 0; i < queues; ++i) {
    queues_.push_back(std::make_unique<Queue>(hosts, faults.seed + static_cast<std::uint64_t>(i)));
  }
}

FakeFabric::~FakeFabric() = default;

std::unique_ptr<Transport> FakeFabric::attach(int host) {
  return std::make_unique<FakeTransport>(*this, host);
}

FakeFabric::Queue& FakeFabric::queue_to(int host, int channel) noexcept {
  const int queue = host * channels_ + channel;
  return *queues_[static_cast<std::size_t>(queue)];
}

}  // namespace heddle::transport
