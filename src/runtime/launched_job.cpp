#include "runtime/launched_job.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/platform/shared_file.h"

namespace heddle::runtime {

namespace {

using launcher::Card;
using transport::Address;

// The places of the factories in the order of this job.
enum : std::size_t { kSharedMemory, kNetwork, kFactories };

struct MemoryCard {
  std::int32_t process = 0;
  std::int32_t descriptor = -1;
  std::uint64_t inode = 0;
};

template <class T>
std::span<const std::byte> bytes_of(const T& card) noexcept {
  return std::as_bytes(std::span(&card, 1));
}

template <class T>
Error get_card(launcher::Launcher& launcher, int host, const char* key, T* card) {
  Card bytes;
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

// Of this process; never destroyed, since the end of the process may still tell it.
std::atomic<launcher::Launcher*> the_launcher{nullptr};
pid_t its_process = 0;

}  // namespace

struct LaunchedJob::JobCard {
  std::uint64_t key = 0;
};

Error LaunchedJob::find(std::unique_ptr<LaunchedJob>* found) {
  found->reset();
  std::unique_ptr<launcher::Launcher> launcher;
  if (Error e = launcher::find(&launcher)) return e;
  if (launcher == nullptr) return {};
  its_process = getpid();
  found->reset(new LaunchedJob(*launcher));
  the_launcher.store(launcher.release(), std::memory_order_release);  // [L1]
  return {};
}

bool LaunchedJob::has_several_nodes() const noexcept {
  return std::any_of(nodes().begin(), nodes().end(), [&](int node) { return node != nodes()[0]; });
}

int LaunchedJob::first_of_node() const noexcept {
  const int own = nodes()[static_cast<std::size_t>(host())];
  return static_cast<int>(std::find(nodes().begin(), nodes().end(), own) - nodes().begin());
}

bool LaunchedJob::shares_node() const noexcept {
  const int own = nodes()[static_cast<std::size_t>(host())];
  return std::count(nodes().begin(), nodes().end(), own) > 1;
}

Error LaunchedJob::offer(JobCard* own) {
  if (shares_node() && first_of_node() == host()) {
    memory_ = platform::make_shared_file();
    if (memory_ < 0) {
      return Error::make(kErrorOther, "no memory can be shared with other processes: %s",
                         std::strerror(errno));
    }
    const MemoryCard card{getpid(), memory_, inode_of(memory_)};
    if (Error e = launcher_.put("memory", bytes_of(card))) return e;
  }
  if (host() != 0) return {};
  if (getrandom(&own->key, sizeof own->key, 0) != sizeof own->key) {
    return Error::make(kErrorOther, "the job gets no random key: %s", std::strerror(errno));
  }
  return launcher_.put("job", bytes_of(*own));
}

Error LaunchedJob::open_memory() {
  MemoryCard card;
  if (Error e = get_card(launcher_, first_of_node(), "memory", &card)) return e;
  const std::string path =
      "/proc/" + std::to_string(card.process) + "/fd/" + std::to_string(card.descriptor);
  memory_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (memory_ >= 0 && inode_of(memory_) == card.inode) return {};
  return Error::make(
      kErrorOther,
      "the memory that the processes of this node share cannot be opened (%s): %s; do they "
      "run under one user and see the same /proc?",
      path.c_str(), memory_ < 0 ? std::strerror(errno) : "it is another file");
}

Error LaunchedJob::take(JobCard* job) {
  if (shares_node() && memory_ < 0) {
    if (Error e = open_memory()) return e;
  }
  return get_card(launcher_, 0, "job", job);
}

Error LaunchedJob::exchange_addresses(const HostCard& own, std::vector<HostCard>* cards) {
  const int here = nodes()[static_cast<std::size_t>(host())];
  if (has_several_nodes()) {
    if (Error e = launcher_.put("address", own.addresses[kNetwork])) return e;
  }
  if (Error e = launcher_.fence()) return e;
  if (memory_ >= 0) ::close(std::exchange(memory_, -1));
  for (int other = 0; other < hosts(); ++other) {
    HostCard& card = cards->emplace_back();
    card.addresses.resize(kFactories);
    if (other == host()) continue;
    if (nodes()[static_cast<std::size_t>(other)] == here) {
      card.addresses[kSharedMemory] = shared_memory_->address_of(other);
    } else if (Error e = launcher_.get(other, "address", &card.addresses[kNetwork])) {
      return e;
    }
  }
  return {};
}

Error LaunchedJob::connect(const transport::Opening& opening, transport::Routes* routes) {
  JobCard job;
  if (Error e = offer(&job)) return e;
  if (Error e = launcher_.fence()) return e;
  if (Error e = take(&job)) return e;
  shared_memory_ =
      std::make_unique<transport::ShmFactory>(memory_, hosts(), transport::Sleepers::kAtBells);
  network_ = std::make_unique<transport::FabricFactory>(
      transport::FabricOptions{.hosts = hosts(), .key = job.key});
  transport::Factory* const factories[] = {shared_memory_.get(), network_.get()};
  static_assert(std::size(factories) == kFactories);
  std::vector<transport::Location> places;
  places.reserve(nodes().size());
  for (int each = 0; each < hosts(); ++each) {
    places.push_back({each, nodes()[static_cast<std::size_t>(each)]});
  }
  WireUp opened;
  if (Error e = WireUp::open(factories, opening, places, &opened)) return e;
  std::vector<HostCard> cards;
  if (Error e = exchange_addresses(opened.card(), &cards)) return e;
  return std::move(opened).connect(cards, routes);
}

platform::Bell* LaunchedJob::bell() noexcept {
  return shares_node() ? &shared_memory_->segment().bell(host()) : nullptr;
}

void end_launched_job(int status) noexcept {
  launcher::Launcher* const launcher = the_launcher.load(std::memory_order_acquire);  // [L1]
  if (launcher != nullptr && its_process == getpid()) launcher->abort(status);
}

}  // namespace heddle::runtime
