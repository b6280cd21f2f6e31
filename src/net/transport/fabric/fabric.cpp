#include "net/transport/fabric/fabric.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "base/platform/clock.h"
#include "net/transport/fabric/port.h"
#include "net/transport/fabric/station.h"

namespace heddle::transport {

namespace {

// Of a packet's payload. With its head it is shorter than what ofi_rxm sends eagerly (16 KiB): longer messages are fetched
// by the receiver and may be complete after shorter ones that were sent later.
constexpr std::size_t kPacketBytes = (16 << 10) - 288;

// So that the windows to all hosts together stay small.
int window_for(int hosts) noexcept {
  return std::clamp(1024 / std::max(hosts, 1), 8, 64);
}

// A look that finds nothing is cheap. To sleep is not: a message then waits for two changes of threads, the watcher's and the
// sleeper's. So an answer that is under way over a fast network must come before.
constexpr std::int64_t kQuietBeforeSleepNs = 50'000;

// An address: this, then the names of the ports, each of `name_bytes`.
struct Card {
  static constexpr std::uint64_t kMark = 0x31'66'61'62'64'65'68'00;

  std::uint64_t mark = kMark;
  std::int32_t host = 0;
  std::uint16_t channels = 0;
  std::uint16_t name_bytes = 0;
  char provider[32] = {};
};
constexpr std::size_t kLongestAddress = 1024;

class FabricTransport final : public Transport {
 public:
  FabricTransport(const Opening& opening, const FabricOptions& options,
                  std::shared_ptr<Stations> stations)
      : Transport(opening),
        options_(options),
        stations_(std::move(stations)),
        station_(std::make_unique<Station>(options.longest_parting_ms)) {}
  ~FabricTransport() override {
    ports_.clear();
    stations_->leave(std::move(station_));
  }

  Error open_ports();

  Traits traits() const noexcept override {
    return {.packet_bytes = kPacketBytes,
            .tells_of_room = true,
            .read_bytes = station_->provider.remote_read ? Reads::kBytes : 0};
  }
  Address address() const override { return address_; }
  Error connect(int host, Bytes address) override;
  std::unique_ptr<Endpoint> open(int channel, Upcall& upcall) override;

  Losses& losses() const noexcept { return stations_->losses; }
  Watcher& watcher() noexcept { return station_->watcher; }

 private:
  Error make_address();
  Card card() const;
  std::unique_ptr<Port>& port(int channel) noexcept {
    return ports_[static_cast<std::size_t>(channel)];
  }

  const FabricOptions options_;
  const std::shared_ptr<Stations> stations_;
  std::unique_ptr<Station> station_;
  std::vector<std::unique_ptr<Port>> ports_;  // by channel; null once its endpoint is open
  Address address_;
};

class FabricEndpoint final : public Endpoint {
 public:
  FabricEndpoint(FabricTransport& transport, int channel, Upcall& upcall,
                 std::unique_ptr<Port> port)
      : transport_(transport),
        channel_(channel),
        upcall_(upcall),
        port_(std::move(port)),
        loss_reported_(static_cast<std::size_t>(transport.losses().hosts())) {}
  ~FabricEndpoint() override {
    const LibfabricCall call;
    transport_.watcher().take_over(std::move(port_));
  }

  bool try_send(int to_host, Bytes head, Bytes body) noexcept override {
    const LibfabricCall call;
    const bool accepted = port_->try_send(to_host, head, body);
    transport_.watcher().used(channel_);
    if (port_->has_queued_sends()) transport_.watcher().remind(channel_);
    return accepted;
  }
  bool poll() noexcept override;

  bool expose(Bytes memory, RemoteMemory* how) noexcept override {
    const LibfabricCall call;
    return port_->reads().expose(memory, how);
  }
  void conceal(const RemoteMemory& memory) noexcept override {
    const LibfabricCall call;
    port_->reads().conceal(memory);
  }
  bool try_read(const Read& read) noexcept override {
    const LibfabricCall call;
    const bool accepted = port_->try_read(read);
    transport_.watcher().used(channel_);
    return accepted;
  }

 private:
  bool tell_losses() noexcept;

  FabricTransport& transport_;
  const int channel_;
  Upcall& upcall_;
  std::unique_ptr<Port> port_;
  std::vector<bool> loss_reported_;  // by host
  std::uint32_t losses_seen_ = 0;
  std::int64_t quiet_since_ns_ = 0;  // 0: the last look has found something
};

Error FabricTransport::open_ports() {
  if (Error e = Provider::open({options_.provider, options_.source, options_.multi_receive},
                               &station_->provider)) {
    return e;
  }
  std::vector<int> descriptors;
  for (int channel = 0; channel < channels(); ++channel) {
    const WireEnd end = {options_.key, host(), options_.hosts, channel, kPacketBytes};
    std::unique_ptr<Port>& made = ports_.emplace_back();
    if (Error e = Port::open(station_->provider, losses(), end, window_for(options_.hosts), &made))
      return e;
    descriptors.push_back(made->descriptor());
  }
  if (Error e = make_address()) return e;
  losses().add_sleeper(opening().wake);
  return watcher().start(descriptors, opening().wake);
}

Card FabricTransport::card() const {
  Card card;
  card.host = host();
  card.channels = static_cast<std::uint16_t>(channels());
  const std::string name = station_->provider.name();
  std::memcpy(card.provider, name.data(), std::min(name.size(), sizeof card.provider - 1));
  return card;
}

Error FabricTransport::make_address() {
  Card own = card();
  Address names;
  for (const auto& port : ports_) {
    const Address name = port->name();
    own.name_bytes = static_cast<std::uint16_t>(name.size());
    names.insert(names.end(), name.begin(), name.end());
  }
  if (names.size() != own.name_bytes * ports_.size() ||
      sizeof own + names.size() > kLongestAddress) {
    return Error::make(kErrorOther,
                       "the addresses of %d channels of libfabric's provider %s are too long",
                       channels(), own.provider);
  }
  address_.resize(sizeof own);
  std::memcpy(address_.data(), &own, sizeof own);
  address_.insert(address_.end(), names.begin(), names.end());
  return {};
}

Error FabricTransport::connect(int host, Bytes address) {
  const LibfabricCall call;
  Card theirs;
  Card wanted = card();
  wanted.host = host;
  if (address.size() >= sizeof theirs) std::memcpy(&theirs, address.data(), sizeof theirs);
  wanted.name_bytes = theirs.name_bytes;
  const Bytes names = address.size() >= sizeof theirs ? address.subspan(sizeof theirs) : Bytes();
  if (host < 0 || host >= options_.hosts || host == this->host() || theirs.name_bytes == 0 ||
      std::memcmp(&theirs, &wanted, sizeof theirs) != 0 ||
      names.size() != std::size_t{theirs.name_bytes} * ports_.size()) {
    return Error::make(kErrorOther,
                       "host %d has no such address on the network, or another number of channels "
                       "or provider than %s",
                       host, wanted.provider);
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Bytes name = names.subspan(i * theirs.name_bytes, theirs.name_bytes);
    if (Error e = ports_[i]->connect(host, name)) return e;
  }
  return {};
}

std::unique_ptr<Endpoint> FabricTransport::open(int channel, Upcall& upcall) {
  assert(port(channel) != nullptr);
  return std::make_unique<FabricEndpoint>(*this, channel, upcall, std::move(port(channel)));
}

bool FabricEndpoint::poll() noexcept {
  const LibfabricCall call;
  const bool lost = tell_losses();
  const bool any = port_->poll(&upcall_) || lost;
  if (any) {
    quiet_since_ns_ = 0;
    transport_.watcher().looked(channel_);
    return true;
  }
  const std::int64_t now = platform::now_ns();
  if (quiet_since_ns_ == 0) quiet_since_ns_ = now;
  if (now - quiet_since_ns_ < kQuietBeforeSleepNs) return true;
  return !transport_.watcher().arm(channel_, *port_);
}

// T6: also if this host itself is lost to the others.
bool FabricEndpoint::tell_losses() noexcept {
  const Losses& losses = transport_.losses();
  const std::uint32_t count = losses.count();
  if (losses_seen_ == count) return false;
  losses_seen_ = count;
  bool any = false;
  for (int host = 0; host < losses.hosts(); ++host) {
    const auto index = static_cast<std::size_t>(host);
    if (loss_reported_[index] || !port_->is_connected(host) || !port_->is_cut_off(host)) continue;
    loss_reported_[index] = true;
    any = true;
    port_->drop(host);
    upcall_.on_lost(channel_, host);
  }
  return any;
}

}  // namespace

FabricFactory::FabricFactory(FabricOptions options)
    : options_(std::move(options)), stations_(std::make_shared<Stations>(options_.hosts)) {}

FabricFactory::~FabricFactory() = default;

void FabricFactory::lose(int host) noexcept {
  stations_->losses.lose(host);
}

std::uint64_t FabricFactory::dropped() const noexcept {
  return stations_->losses.dropped();
}

Error FabricFactory::open(const Opening& opening, std::unique_ptr<Transport>* made) {
  const LibfabricCall call;
  auto transport = std::make_unique<FabricTransport>(opening, options_, stations_);
  if (Error e = transport->open_ports()) return e;
  *made = std::move(transport);
  return {};
}

}  // namespace heddle::transport
