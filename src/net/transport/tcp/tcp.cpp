#include "net/transport/tcp/tcp.h"

#include <sys/utsname.h>

#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "net/transport/ports/port_endpoint.h"
#include "net/transport/ports/stations.h"
#include "net/transport/tcp/port.h"

namespace heddle::transport {

namespace {

// An address: this, then the IPs, then the number of each channel's port.
struct TcpCard {
  static constexpr std::uint64_t kMark = 0x31'70'63'74'64'65'68'00;

  std::uint64_t mark = kMark;
  std::int32_t host = 0;
  std::uint16_t channels = 0;
  std::uint16_t ips = 0;
};

struct TcpStation {
  explicit TcpStation(int longest_parting_ms) noexcept : watcher(longest_parting_ms) {}
  Watcher watcher;
};

std::string name_of_machine() {
  utsname machine = {};
  return uname(&machine) == 0 ? machine.nodename : "";
}

}  // namespace

struct TcpFactory::Shared {
  explicit Shared(const TcpOptions& its_options)
      : options(its_options), stations(its_options.hosts) {}
  const TcpOptions options;
  Stations<TcpStation> stations;  // ends first
};

namespace {

template <class Shared>
class TcpTransport final : public Transport {
 public:
  TcpTransport(const Opening& opening, std::shared_ptr<Shared> shared)
      : Transport(opening),
        shared_(std::move(shared)),
        station_(std::make_unique<TcpStation>(shared_->options.longest_parting_ms)) {}
  ~TcpTransport() override {
    ports_.clear();
    shared_->stations.leave(std::move(station_));
  }

  Error open_ports() {
    std::vector<door::Ip> own;
    if (Error e = door::find_own_addresses(shared_->options.on_one_node, &own)) return e;
    std::vector<int> descriptors;
    std::vector<std::uint16_t> numbers;
    for (int channel = 0; channel < channels(); ++channel) {
      const TcpOptions& options = shared_->options;
      const TcpEnd end = {.secret = &options.secret,
                          .node = name_of_machine(),
                          .host = host(),
                          .hosts = options.hosts,
                          .channel = channel,
                          .longest_greeting_ms = options.longest_greeting_ms,
                          .longest_try_ms = options.longest_try_ms};
      std::unique_ptr<TcpPort>& made = ports_.emplace_back();
      if (Error e = TcpPort::open(shared_->stations.losses, end, own, &made)) return e;
      descriptors.push_back(made->descriptor());
      numbers.push_back(made->number());
    }
    TcpCard card;
    card.host = host();
    card.channels = static_cast<std::uint16_t>(channels());
    card.ips = static_cast<std::uint16_t>(own.size());
    append(std::as_bytes(std::span(&card, 1)));
    append(std::as_bytes(std::span(own)));
    append(std::as_bytes(std::span(numbers)));
    shared_->stations.losses.add_sleeper(opening().wake);
    return station_->watcher.start(descriptors, opening().wake);
  }

  Traits traits() const noexcept override {
    return {.packet_bytes = TcpPort::kLimits.packet_bytes,
            .tells_of_room = true,
            .read_bytes = TcpPort::kLimits.read_bytes,
            .lands_payloads = true};
  }
  Address address() const override { return address_; }

  Error connect(int to, Bytes address) override {
    TcpCard card;
    if (address.size() >= sizeof card) std::memcpy(&card, address.data(), sizeof card);
    const std::size_t ips = std::size_t{card.ips} * sizeof(door::Ip);
    const std::size_t ports = ports_.size() * sizeof(std::uint16_t);
    if (to < 0 || to >= shared_->options.hosts || to == host() || card.host != to ||
        card.mark != TcpCard::kMark || card.channels != channels() || card.ips == 0 ||
        card.ips > door::kMostAddresses || address.size() != sizeof card + ips + ports) {
      return Error::make(kErrorOther,
                         "host %d has no such address on the network, or another number of "
                         "channels or transport than TCP",
                         to);
    }
    TcpPlace place;
    place.addresses.resize(card.ips);
    std::memcpy(place.addresses.data(), address.data() + sizeof card, ips);
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const std::byte* const at = address.data() + sizeof card + ips + i * sizeof place.port;
      std::memcpy(&place.port, at, sizeof place.port);
      ports_[i]->connect(to, place);
    }
    return {};
  }

  std::unique_ptr<Endpoint> open(int channel, Upcall& upcall) override {
    auto& port = ports_[static_cast<std::size_t>(channel)];
    assert(port != nullptr);
    return std::make_unique<PortEndpoint<TcpPort>>(shared_->stations.losses, station_->watcher,
                                                   channel, upcall, std::move(port));
  }

 private:
  void append(Bytes bytes) { address_.insert(address_.end(), bytes.begin(), bytes.end()); }

  const std::shared_ptr<Shared> shared_;
  std::unique_ptr<TcpStation> station_;
  std::vector<std::unique_ptr<TcpPort>> ports_;  // by channel; null once its endpoint is open
  Address address_;
};

}  // namespace

TcpFactory::TcpFactory(const TcpOptions& options) : shared_(std::make_shared<Shared>(options)) {}

TcpFactory::~TcpFactory() = default;

void TcpFactory::lose(int host) noexcept {
  shared_->stations.losses.lose(host);
}

Error TcpFactory::open(const Opening& opening, std::unique_ptr<Transport>* made) {
  const NetworkCall call;
  auto transport = std::make_unique<TcpTransport<Shared>>(opening, shared_);
  if (Error e = transport->open_ports()) return e;
  *made = std::move(transport);
  return {};
}

}  // namespace heddle::transport
