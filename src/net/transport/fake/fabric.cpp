#include "net/transport/fake/fabric.h"

#include <cassert>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/platform/cpu.h"

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

// Spins and does nothing else: in a test program sched_yield() and pthread_mutex_lock() are the
// library's and switch, but a channel's holder may not.
class BusyLock {
 public:
  void lock() noexcept {
    while (held_.exchange(true, std::memory_order_acquire)) platform::cpu_relax();
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};
using BusyGuard = std::lock_guard<BusyLock>;

constexpr int kDeliveriesPerPoll = 8;
constexpr int kNoPort = -1;

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
  faults.read_bytes = dice.below(2) * (1 + dice.below(5000));
  faults.lands = dice.below(2) != 0;
  return faults;
}

struct FakeFabric::Queue {
  Queue(std::size_t ports, std::uint64_t seed) : links(ports), loss_reported(ports), dice(seed) {}

  // Lock: guards the rest: packets under way to one endpoint.
  BusyLock lock;
  std::vector<std::deque<Packet>> links;  // by sending port
  std::vector<bool> loss_reported;        // by port
  Dice dice;
  bool ended = false;  // the endpoint is destroyed
  int under_way = 0;
  int cuts_seen = 0;
};

struct FakeFabric::Exposed {
  // Lock: guards the rest: memory that hosts may read, by key.
  BusyLock lock;
  std::map<std::uint64_t, Bytes> memory;
  std::uint64_t next_key = 1;
};

class FakeFabric::FakeTransport final : public Transport {
 public:
  FakeTransport(FakeFabric& fabric, int port, const Opening& opening)
      : Transport(opening), fabric_(fabric), port_(port) {}

  Traits traits() const noexcept override {
    const Faults& faults = fabric_.faults_;
    return {.packet_bytes = faults.packet_bytes,
            .read_bytes = faults.read_bytes,
            .lands_payloads = faults.lands};
  }
  Address address() const override {
    Address address(sizeof port_);
    std::memcpy(address.data(), &port_, sizeof port_);
    return address;
  }
  Error connect(int host, Bytes address) override {
    int port = kNoPort;
    if (address.size() == sizeof port) std::memcpy(&port, address.data(), sizeof port);
    if (port < 0 || port >= fabric_.attached_ || fabric_.port(port).host != host) {
      return Error::make(kErrorOther, "host %d has no such address on the fake fabric", host);
    }
    const auto index = static_cast<std::size_t>(host);
    if (index >= port_of_.size()) port_of_.resize(index + 1, kNoPort);
    port_of_[index] = port;
    return {};
  }
  std::unique_ptr<Endpoint> open(int channel, Upcall& upcall) override;

  int port() const noexcept { return port_; }
  int port_of(int host) const noexcept { return port_of_[static_cast<std::size_t>(host)]; }
  void wake() const noexcept { opening().wake(); }

 private:
  FakeFabric& fabric_;
  const int port_;
  std::vector<int> port_of_;  // by host
};

class FakeFabric::FakeEndpoint final : public Endpoint {
 public:
  FakeEndpoint(FakeFabric& fabric, const FakeTransport& transport, int channel,
               Upcall& upcall) noexcept
      : fabric_(fabric), transport_(transport), channel_(channel), upcall_(upcall) {}

  ~FakeEndpoint() override {
    Queue& queue = fabric_.queue_to(transport_.port(), channel_);
    const BusyGuard guard(queue.lock);
    queue.ended = true;
  }

  bool try_send(int to_host, Bytes head, Bytes body) noexcept override {
    const Faults& faults = fabric_.faults_;
    assert(head.size() + body.size() <= faults.packet_bytes);
    const int to = transport_.port_of(to_host);
    assert(to != kNoPort);
    Packet packet{std::vector<std::byte>(head.begin(), head.end()), 0};
    packet.bytes.insert(packet.bytes.end(), body.begin(), body.end());
    Queue& queue = fabric_.queue_to(to, channel_);
    {
      const BusyGuard guard(queue.lock);
      if (fabric_.cut_off(transport_.port(), to))
        return true;                 // T6: with the lock, so never after it is reported
      if (queue.ended) return true;  // T7
      std::deque<Packet>& link = queue.links[static_cast<std::size_t>(transport_.port())];
      if (static_cast<int>(link.size()) >= faults.places) return false;
      if (faults.refused_in != 0 && queue.dice.below(faults.refused_in) == 0) return false;
      packet.polls_left = static_cast<int>(queue.dice.below(faults.longest_delay + 1));
      link.push_back(std::move(packet));
      ++queue.under_way;
      fabric_.port(transport_.port()).accepted.fetch_add(1, std::memory_order_relaxed);
    }
    transport_.wake();  // the receiver's sleepers are ours
    return true;
  }

  bool poll() noexcept override {
    Queue& queue = fabric_.queue_to(transport_.port(), channel_);
    bool progress = tell_losses(queue);
    progress |= deliver_reads(queue);
    progress |= end_landings();
    for (int i = 0; i < kDeliveriesPerPoll; ++i) {
      Packet packet;
      int from = 0;
      {
        const BusyGuard guard(queue.lock);
        if (queue.under_way == 0) return progress || !reads_.empty() || !landings_.empty();
        if (!take_one(queue, &packet, &from)) return true;
      }
      progress = true;
      if (fabric_.faults_.lands && begin_landing(queue, packet, from)) continue;
      upcall_.on_packet(channel_, fabric_.port(from).host, packet.bytes);
    }
    return true;
  }

  bool expose(Bytes memory, RemoteMemory* how) noexcept override {
    fabric_.expose(memory, how);
    return true;
  }
  void conceal(const RemoteMemory& memory) noexcept override { fabric_.conceal(memory); }

  bool try_read(const Read& read) noexcept override {
    const Faults& faults = fabric_.faults_;
    assert(read.into.size() <= faults.read_bytes);
    if (static_cast<int>(reads_.size()) >= faults.places) return false;
    Queue& own = fabric_.queue_to(transport_.port(), channel_);
    const BusyGuard guard(own.lock);
    if (faults.refused_in != 0 && own.dice.below(faults.refused_in) == 0) return false;
    reads_.push_back({read, static_cast<int>(own.dice.below(faults.longest_delay + 1))});
    return true;
  }

 private:
  struct UnderWay {
    Read read;
    int polls_left;
  };
  struct UnderLanding {
    Packet packet;
    Landing where;
  };

  // Looks at a read, which the dice choose, and carries it out if it is due. True: it was.
  bool deliver_reads(Queue& own) noexcept {
    if (reads_.empty()) return false;
    std::size_t first = 0;
    {
      const BusyGuard guard(own.lock);
      first = own.dice.below(reads_.size());
    }
    UnderWay& due = reads_[first];
    if (due.polls_left-- > 0) return false;
    const Read read = due.read;
    due = reads_.back();
    reads_.pop_back();
    const bool lost = fabric_.cut_off(transport_.port(), transport_.port_of(read.from_host));
    if (!lost && fabric_.copy(read)) read.reader->came(read.into.size());
    return true;
  }

  // False: the packet is to be delivered whole.
  bool begin_landing(Queue& own, Packet& packet, int from) noexcept {
    if (packet.bytes.size() <= Upcall::kBegin) return false;
    std::size_t begin = Upcall::kBegin;
    {
      const BusyGuard guard(own.lock);
      begin += own.dice.below(packet.bytes.size() - Upcall::kBegin);
      packet.polls_left = static_cast<int>(own.dice.below(fabric_.faults_.longest_delay + 1));
    }
    const Bytes bytes(packet.bytes);
    const Landing landing =
        upcall_.on_begin(channel_, fabric_.port(from).host, bytes.first(begin), bytes.size());
    if (landing.reader == nullptr) return false;
    landings_.emplace(from, UnderLanding{std::move(packet), landing});
    return true;
  }

  bool end_landings() noexcept {
    for (auto& [from, one] : landings_) {
      if (one.packet.polls_left-- > 0) continue;
      const UnderLanding ended = std::move(one);
      landings_.erase(from);
      const Bytes payload = Bytes(ended.packet.bytes).last(ended.where.into.size());
      std::memcpy(ended.where.into.data(), payload.data(), payload.size());
      ended.where.reader->came(payload.size());
      return true;
    }
    return false;
  }

  // Drops the packets under way from lost ports, and reports these. Returns true if there were any.
  bool tell_losses(Queue& queue) noexcept {
    std::vector<int> lost;
    {
      const BusyGuard guard(queue.lock);
      // acquire pairs with the release in cut(): then cut_off() says so.
      const int cuts = fabric_.cuts_.load(std::memory_order_acquire);
      if (queue.cuts_seen == cuts) return false;
      queue.cuts_seen = cuts;
      for (int port = 0; port < fabric_.attached_; ++port) {
        const auto index = static_cast<std::size_t>(port);
        if (queue.loss_reported[index] || !fabric_.cut_off(transport_.port(), port)) continue;
        queue.loss_reported[index] = true;
        queue.under_way -= static_cast<int>(queue.links[index].size());
        queue.links[index].clear();
        landings_.erase(port);
        lost.push_back(fabric_.port(port).host);
      }
    }
    for (const int host : lost) upcall_.on_lost(channel_, host);
    return !lost.empty();
  }

  // Takes the first packet of any link where it has waited long enough. With the lock.
  bool take_one(Queue& queue, Packet* packet, int* from) noexcept {
    const std::size_t count = queue.links.size();
    const std::size_t first = queue.dice.below(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t port = (first + i) % count;
      std::deque<Packet>& link = queue.links[port];
      if (link.empty() || landings_.contains(static_cast<int>(port))) continue;
      if (link.front().polls_left-- > 0) continue;
      *packet = std::move(link.front());
      *from = static_cast<int>(port);
      link.pop_front();
      --queue.under_way;
      return true;
    }
    return false;
  }

  FakeFabric& fabric_;
  const FakeTransport& transport_;
  const int channel_;
  Upcall& upcall_;
  std::vector<UnderWay> reads_;
  std::map<int, UnderLanding> landings_;  // by sending port, whose next packets wait
};

std::unique_ptr<Endpoint> FakeFabric::FakeTransport::open(int channel, Upcall& upcall) {
  return std::make_unique<FakeEndpoint>(fabric_, *this, channel, upcall);
}

FakeFabric::FakeFabric(int hosts, const Faults& faults)
    : faults_(faults),
      ports_(static_cast<std::size_t>(hosts)),
      exposed_(std::make_unique<Exposed>()) {}

FakeFabric::~FakeFabric() = default;

std::unique_ptr<Transport> FakeFabric::attach(const Opening& opening) {
  const int number = attached_++;
  Port& made = port(number);
  made.host = opening.host;
  made.wake = opening.wake;
  for (int channel = 0; channel < opening.channels; ++channel) {
    const int queue = number * opening.channels + channel;
    const std::uint64_t seed = faults_.seed + static_cast<std::uint64_t>(queue);
    made.queues.push_back(std::make_unique<Queue>(ports_.size(), seed));
  }
  return std::make_unique<FakeTransport>(*this, number, opening);
}

void FakeFabric::cut(int host) noexcept {
  for (int i = 0; i < attached_; ++i) {
    if (port(i).host == host) port(i).cut.store(true, std::memory_order_relaxed);
  }
  cuts_.fetch_add(1, std::memory_order_release);
  for (int i = 0; i < attached_; ++i) port(i).wake();
}

std::uint64_t FakeFabric::packets_from(int host) noexcept {
  std::uint64_t sum = 0;
  for (int i = 0; i < attached_; ++i) {
    if (port(i).host == host) sum += port(i).accepted.load(std::memory_order_relaxed);
  }
  return sum;
}

bool FakeFabric::cut_off(int port_a, int port_b) noexcept {
  return port_a != port_b && (port(port_a).cut.load(std::memory_order_relaxed) ||
                              port(port_b).cut.load(std::memory_order_relaxed));
}

void FakeFabric::expose(Bytes memory, RemoteMemory* how) noexcept {
  const BusyGuard guard(exposed_->lock);
  *how = {reinterpret_cast<std::uintptr_t>(memory.data()), exposed_->next_key++};
  exposed_->memory[how->key] = memory;
}

void FakeFabric::conceal(const RemoteMemory& memory) noexcept {
  const BusyGuard guard(exposed_->lock);
  exposed_->memory.erase(memory.key);
}

bool FakeFabric::copy(const Endpoint::Read& read) noexcept {
  const BusyGuard guard(exposed_->lock);
  const auto found = exposed_->memory.find(read.memory.key);
  if (found == exposed_->memory.end()) return false;
  const Bytes from = found->second;
  const std::size_t bytes = read.into.size();
  const bool fits = read.memory.address == reinterpret_cast<std::uintptr_t>(from.data()) &&
                    read.offset <= from.size() && bytes <= from.size() - read.offset;
  if (fits) std::memcpy(read.into.data(), from.data() + read.offset, bytes);
  return fits;
}

FakeFabric::Queue& FakeFabric::queue_to(int to, int channel) noexcept {
  return *port(to).queues[static_cast<std::size_t>(channel)];
}

std::vector<std::unique_ptr<Transport>> connect_all(FakeFabric& fabric,
                                                    const std::vector<int>& hosts,
                                                    Opening opening) {
  std::vector<std::unique_ptr<Transport>> made;
  for (const int host : hosts) {
    opening.host = host;
    made.push_back(fabric.attach(opening));
  }
  for (const auto& from : made) {
    for (const auto& to : made) {
      if (from == to) continue;
      [[maybe_unused]] const Error error = from->connect(to->host(), to->address());
      assert(!error);
    }
  }
  return made;
}

std::vector<std::unique_ptr<Transport>> connect_all(FakeFabric& fabric, int hosts,
                                                    Opening opening) {
  std::vector<int> numbers(static_cast<std::size_t>(hosts));
  std::iota(numbers.begin(), numbers.end(), 0);
  return connect_all(fabric, numbers, opening);
}

Routes routes_by(std::unique_ptr<Transport> transport, int hosts) {
  Routes routes;
  for (int host = 0; host < hosts; ++host) {
    routes.to_host.push_back(host == transport->host() ? Routes::kNone : 0);
  }
  routes.transports.push_back(std::move(transport));
  return routes;
}

}  // namespace heddle::transport
