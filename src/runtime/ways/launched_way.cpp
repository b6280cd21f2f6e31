#include "runtime/ways/launched_way.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "base/platform/shared_file.h"
#include "base/settings.h"
#include "exec/ult/host_bell.h"
#include "exec/ult/poller.h"
#include "runtime/job_board/job_board.h"
#include "runtime/ways/ends_of_hosts.h"

namespace heddle::runtime {

namespace {

using transport::Address;

// The places of the factories in the order of this job.
enum : std::size_t { kSharedMemory, kNetwork, kFactories };

struct FileCard {
  std::int64_t descriptor = -1;
  std::uint64_t inode = 0;
};
struct MemoryCard {
  std::int64_t process = 0;
  FileCard memory, cards;
};

template <class T>
std::span<const std::byte> bytes_of(const T& card) noexcept {
  return std::as_bytes(std::span(&card, 1));
}

template <class T>
Error get_card(launcher::Launcher& launcher, int host, const char* key, T* card) {
  launcher::Card bytes;
  if (Error e = launcher.get(host, key, &bytes)) return e;
  if (bytes.size() != sizeof *card) {
    return Error::make(kErrorOther, "host %d runs another version of the library", host);
  }
  std::memcpy(card, bytes.data(), sizeof *card);
  return {};
}

std::uint64_t inode_of(int descriptor) noexcept {
  struct stat file = {};
  return fstat(descriptor, &file) == 0 ? file.st_ino : 0;
}

FileCard file_card(int descriptor) noexcept {
  return {descriptor, inode_of(descriptor)};
}

// A file of another process of this node.
Error open_file_of(std::int64_t process, const FileCard& file, int* opened) {
  const std::string path =
      "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file.descriptor);
  *opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (*opened >= 0 && inode_of(*opened) == file.inode) return {};
  return Error::make(
      kErrorOther,
      "the memory that the processes of this node share cannot be opened (%s): %s; do they "
      "run under one user and see the same /proc?",
      path.c_str(), *opened < 0 ? std::strerror(errno) : "it is another file");
}

// The key by which packets of libfabric say that they belong to the job. They say it in clear, so
// it must not tell the secret.
std::uint64_t packet_key(const door::Secret& secret) noexcept {
  static constexpr char kPurpose[] = "packets";
  return door::keyed_hash(secret, std::as_bytes(std::span(kPurpose)));
}

}  // namespace

struct LaunchedWay::JobCard {
  door::Secret secret;
  std::uint64_t channels = 0;
  std::uint64_t libfabric = 0;  // else TCP
};

Error LaunchedWay::find(Silences most, std::unique_ptr<Way>* found) {
  if (!launcher::is_there()) return {};
  auto bound = std::make_unique<StartBound>(most, abort_for_others);
  std::unique_ptr<launcher::Launcher> launcher;
  if (Error e = launcher::find(&launcher)) return e;
  if (launcher == nullptr) return {};
  std::unique_ptr<LaunchedWay> made = by(std::move(launcher));
  if (made->processes() > 1) made->bound_ = std::move(bound);
  *found = std::move(made);
  return {};
}

std::unique_ptr<LaunchedWay> LaunchedWay::by(std::unique_ptr<launcher::Launcher> launcher) {
  std::unique_ptr<LaunchedWay> made(new LaunchedWay(*launcher));
  tell_ends_to(*launcher.release());
  return made;
}

bool LaunchedWay::uses_network() const noexcept {
  return std::any_of(place_.begin(), place_.end(), [&](int place) { return place != place_[0]; });
}

int LaunchedWay::first_of_place() const noexcept {
  int first = 0;
  while (!shares_memory_with(first)) ++first;
  return first;
}

bool LaunchedWay::is_on_one_node() const noexcept {
  return std::all_of(nodes().begin(), nodes().end(), [&](int node) { return node == nodes()[0]; });
}

std::unique_ptr<transport::Factory> LaunchedWay::make_network(const JobCard& job) const {
  if (job.libfabric != 0) {
    return std::make_unique<transport::FabricFactory>(
        transport::FabricOptions{.hosts = processes(), .key = packet_key(job.secret)});
  }
  return std::make_unique<transport::TcpFactory>(transport::TcpOptions{
      .hosts = processes(), .secret = job.secret, .on_one_node = is_on_one_node()});
}

bool LaunchedWay::shares_memory() const noexcept {
  return std::count(place_.begin(), place_.end(), place_[static_cast<std::size_t>(process())]) > 1;
}

watch::Watch& LaunchedWay::make_watch(const door::Secret& secret) const {
  watch::Options options;
  options.host = process();
  options.hosts = processes();
  options.secret = secret;
  options.one_node = is_on_one_node();
  return watch_ends(std::move(options), *layout_, listener_);
}

Error LaunchedWay::offer(JobCard* own) {
  if (shares_memory() && first_of_place() == process()) {
    memory_ = platform::make_shared_file();
    if (memory_ < 0) {
      return Error::make(kErrorOther, "no memory can be shared with other processes: %s",
                         std::strerror(errno));
    }
    MemoryCard card{getpid(), file_card(memory_), {}};
    if (uses_network()) {
      cards_ = std::make_unique<NodeCards>();
      if (Error e = cards_->make()) return e;
      card.cards = file_card(cards_->descriptor());
    }
    if (Error e = launcher_.put("memory", bytes_of(card))) return e;
  }
  if (process() != 0) return {};
  if (Error e = door::Secret::make(&own->secret)) return e;
  own->libfabric = transport::FabricFactory::is_wanted() ? 1 : 0;
  if (Error e = launcher_.put("job", bytes_of(*own))) return e;
  if (!are_ends_watched(listener_)) return {};
  std::string address;
  if (Error e = make_watch(own->secret).open(&address)) return e;
  return launcher_.put("watch", std::as_bytes(std::span(address)));
}

Error LaunchedWay::open_memory() {
  MemoryCard card;
  if (Error e = get_card(launcher_, first_of_place(), "memory", &card)) return e;
  if (Error e = open_file_of(card.process, card.memory, &memory_)) return e;
  if (!uses_network()) return {};
  int cards = -1;
  if (Error e = open_file_of(card.process, card.cards, &cards)) return e;
  cards_ = std::make_unique<NodeCards>();
  return cards_->open(cards);
}

Error LaunchedWay::take(JobCard* job) {
  if (shares_memory() && memory_ < 0) {
    if (Error e = open_memory()) return e;
  }
  if (Error e = get_card(launcher_, 0, "job", job)) return e;
  if (process() == 0 || !are_ends_watched(listener_)) return {};
  launcher::Card address;
  if (Error e = launcher_.get(0, "watch", &address)) return e;
  return make_watch(job->secret)
      .connect(std::string(reinterpret_cast<const char*>(address.data()), address.size()));
}

Error LaunchedWay::exchange_addresses(const HostCard& own, std::vector<HostCard>* cards) {
  if (uses_network()) {
    if (Error e = launcher_.put("address", own.addresses[kNetwork])) return e;
  }
  if (Error e = launcher_.fence()) return e;
  if (memory_ >= 0) ::close(std::exchange(memory_, -1));
  NodeCards::Cards addresses(static_cast<std::size_t>(processes()));
  if (uses_network()) {
    if (Error e = fetch_addresses(&addresses)) return e;
  }
  cards_.reset();
  for (int other = 0; other < processes(); ++other) {
    HostCard& card = cards->emplace_back();
    card.addresses.resize(kFactories);
    if (other == process()) continue;
    if (shares_memory_with(other)) {
      card.addresses[kSharedMemory] = shared_memory_->address_of(other);
    } else {
      card.addresses[kNetwork] = std::move(addresses[static_cast<std::size_t>(other)]);
    }
  }
  return {};
}

Error LaunchedWay::fetch_addresses(NodeCards::Cards* all) {
  if (cards_ == nullptr) return fetch_each(all);
  if (first_of_place() != process()) {
    if (Error e = cards_->take(all)) return e;
    if (static_cast<int>(all->size()) == processes()) return {};
    return Error::make(kErrorOther, "a process of this node runs another version of the library");
  }
  Error failed = fetch_each(all);
  if (Error e = cards_->publish(failed ? nullptr : all)) return e;
  return failed;
}

Error LaunchedWay::fetch_each(NodeCards::Cards* all) {
  for (int other = 0; other < processes(); ++other) {
    if (shares_memory_with(other)) continue;
    if (Error e = launcher_.get(other, "address", &(*all)[static_cast<std::size_t>(other)]))
      return e;
  }
  return {};
}

Error LaunchedWay::connect(const Opening& opening, std::vector<transport::Routes>* routes) {
  layout_ = &opening.layout;
  listener_ = opening.listener;
  place_ = nodes();
  const bool everywhere =
      settings::value(settings::Id::kNetwork) == static_cast<int>(settings::Network::kEverywhere);
  if (everywhere) std::iota(place_.begin(), place_.end(), 0);
  JobCard job;
  job.channels = static_cast<std::uint64_t>(opening.channels);
  if (Error e = offer(&job)) return e;
  if (Error e = launcher_.fence()) return e;
  if (bound_ != nullptr) bound_->all_have_come(processes());
  if (Error e = take(&job)) return e;
  shared_memory_ =
      std::make_unique<transport::ShmFactory>(memory_, processes(), transport::Sleepers::kAtBells);
  network_ = make_network(job);
  transport::Factory* const factories[] = {shared_memory_.get(), network_.get()};
  static_assert(std::size(factories) == kFactories);
  std::vector<transport::Location> places;
  places.reserve(place_.size());
  for (int each = 0; each < processes(); ++each) {
    places.push_back({each, place_[static_cast<std::size_t>(each)]});
  }
  routes->resize(places.size());
  const auto index = static_cast<std::size_t>(process());
  WireUp opened;
  if (Error e = WireUp::open(factories, {process(), static_cast<int>(job.channels), ult::nudge},
                             places, &opened))
    return e;
  std::vector<HostCard> cards;
  if (Error e = exchange_addresses(opened.card(), &cards)) return e;
  if (Error e = std::move(opened).connect(cards, &(*routes)[index])) return e;
  if (shares_memory()) ult::set_host_bell(&shared_memory_->segment().bell(process()));
  bound_.reset();
  return {};
}

void LaunchedWay::tell_left_early() noexcept {
  if (!job_board().is_shared()) tell_others_of_left(process(), processes());
}

void LaunchedWay::leave() noexcept {
  network_.reset();
  leave_watch();
  launcher_.leave();
}

}  // namespace heddle::runtime
