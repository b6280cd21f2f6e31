#include "net/transport/fabric/fabric.h"

#include <dirent.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "net/transport/fabric/port.h"
#include "net/transport/ports/port_endpoint.h"
#include "net/transport/ports/stations.h"

namespace heddle::transport {

struct FabricStation {
  explicit FabricStation(int longest_parting_ms) noexcept : watcher(longest_parting_ms) {}

  Provider provider;
  Watcher watcher;  // ends first: it has ports
};

class FabricStations : public Stations<FabricStation> {
  using Stations::Stations;
};

namespace {

// The longest payload of a packet. With its head it is shorter than what ofi_rxm sends eagerly (16
// KiB): the receiver fetches longer messages, and they may be complete after shorter ones that were
// sent later.
constexpr std::size_t kPacketBytes = (16 << 10) - 288;

// Chooses windows so that those to all hosts together stay small.
int window_for(int hosts) noexcept {
  return std::clamp(1024 / std::max(hosts, 1), 8, 64);
}

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
                  std::shared_ptr<FabricStations> stations)
      : Transport(opening),
        options_(options),
        stations_(std::move(stations)),
        station_(std::make_unique<FabricStation>(options.longest_parting_ms)) {}
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
  const std::shared_ptr<FabricStations> stations_;
  std::unique_ptr<FabricStation> station_;
  std::vector<std::unique_ptr<Port>> ports_;  // by channel; null once its endpoint is open
  Address address_;
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
  return std::make_unique<PortEndpoint<Port>>(losses(), watcher(), channel, upcall,
                                              std::move(port(channel)));
}

}  // namespace

FabricFactory::FabricFactory(FabricOptions options)
    : options_(std::move(options)), stations_(std::make_shared<FabricStations>(options_.hosts)) {}

FabricFactory::~FabricFactory() = default;

bool FabricFactory::is_wanted() {
  const char* const named = std::getenv("FI_PROVIDER");
  if (named != nullptr && named[0] != '\0' && named[0] != '^') return true;
  // verbs, efa, psm3, opx; cxi
  for (const char* const devices : {"/sys/class/infiniband", "/sys/class/cxi"}) {
    DIR* const folder = opendir(devices);
    if (folder == nullptr) continue;
    bool any = false;
    while (const dirent* const entry = readdir(folder)) any |= entry->d_name[0] != '.';
    closedir(folder);
    if (any) return true;
  }
  return false;
}

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
