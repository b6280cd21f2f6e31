#include "runtime/ways/launched_way.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "base/platform/shared_file.h"
#include "base/settings.h"
#include "exec/ult/host_bell.h"
#include "exec/ult/poller.h"
#include "runtime/job_board/abort.h"
#include "runtime/job_board/job_board.h"
#include "runtime/job_board/left_elsewhere.h"

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

// Returns when the launcher has read what was printed to this descriptor, or soon: launchers that
// are told to end a job throw away what waits in pipes.
void let_pipe_be_read(int descriptor) noexcept {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int kMostPauses = 500;
  struct stat file = {};
  if (fstat(descriptor, &file) != 0 || !S_ISFIFO(file.st_mode)) return;
  int waiting = 0;
  for (int i = 0; i < kMostPauses; ++i) {
    if (ioctl(descriptor, FIONREAD, &waiting) != 0 || waiting == 0) return;
    nanosleep(&kPause, nullptr);
  }
}

// This process's own; never destroyed, since the end of the process may still tell them.
std::atomic<launcher::Launcher*> the_launcher{nullptr};
std::atomic<watch::Watch*> the_watch{nullptr};
pid_t its_process = 0;
// Slurm: when a process ends with a status other than 0, srun -K ends the others a tenth of a
// second later, by a signal, and srun's status is the greatest of all: so processes that have been
// told to end do so at once, with the same status.
bool is_slurms = false;

// Another process of the job is lost, or has ended the job with this status. An empty sentence:
// another process has said why. Then the launcher is given time to end this one.
void abort_for_others(int status, const std::string& sentence) noexcept {
  if (!sentence.empty()) abort_job(status, sentence + "; the job cannot go on");
  constexpr timespec kPatience = {.tv_sec = 0, .tv_nsec = 500'000'000};
  if (!is_slurms) nanosleep(&kPatience, nullptr);
  end_silently(status);
}

// The watch of such a job only carries words for the listener.
void leave_to_mpiexec(int, const std::string&) {}

// Whom a watch tells of the end of a host; null: there need be none.
watch::Ender ender(const Listener* listener) noexcept {
  if (!job_board().is_shared()) return abort_for_others;
  return listener != nullptr ? leave_to_mpiexec : nullptr;
}

// The job ends, and why was said. The caller then ends its own process.
void tell_of_abort_elsewhere(int status) noexcept {
  if (its_process != getpid()) return;
  // Once: the launcher may keep the first call waiting (crash/patience.h).
  launcher::Launcher* const launcher =
      the_launcher.exchange(nullptr, std::memory_order_acq_rel);  // [L1]
  if (launcher == nullptr) return;
  watch::Watch* const watch = the_watch.load(std::memory_order_acquire);  // [L2]
  if (watch != nullptr) watch->abort(status);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) let_pipe_be_read(descriptor);
  // Slurm would kill the others, which the watch has told to end with this status.
  if (watch == nullptr || !is_slurms) launcher->abort(status);
}

// How sentences name each host: by its ranks.
std::vector<std::string>& names() {
  static auto& of_hosts = *new std::vector<std::string>;
  return of_hosts;
}

std::string name_of(int host) {
  return names()[static_cast<std::size_t>(host)];
}

void name_hosts(const Layout& layout) {
  names().assign(static_cast<std::size_t>(layout.hosts()), "");
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    std::string& name = names()[static_cast<std::size_t>(layout.host(rank))];
    const bool last = rank + 1 == layout.ranks() || layout.host(rank + 1) != layout.host(rank);
    if (name.empty()) {
      name = (last ? "rank " : "ranks ") + std::to_string(rank);
    } else if (last) {
      name += " to " + std::to_string(rank);
    }
  }
}

// The key by which packets of libfabric say that they belong to the job. They say it in clear, so
// it must not tell the secret.
std::uint64_t packet_key(const door::Secret& secret) noexcept {
  static constexpr char kPurpose[] = "packets";
  return door::keyed_hash(secret, std::as_bytes(std::span(kPurpose)));
}

// A word for all other hosts, by way of host 0.
void tell_of_left(watch::Watch& watch, int host, int hosts) noexcept {
  const watch::Word word{.kind = watch::Kind::kLeftEarly, .host = host};
  if (host != 0) {
    static_cast<void>(watch.tell(0, word));
    return;
  }
  for (int other = 1; other < hosts; ++other) static_cast<void>(watch.tell(other, word));
}

// What the watch hears and does not understand.
void hear(void* listener, const watch::Word& word, std::string_view text) {
  if (word.kind != watch::Kind::kLeftEarly) {
    if (listener != nullptr) static_cast<Listener*>(listener)->heard(word, text);
    return;
  }
  hear_of_left_elsewhere();
  watch::Watch* const watch = the_watch.load(std::memory_order_acquire);              // [L2]
  launcher::Launcher* const launcher = the_launcher.load(std::memory_order_acquire);  // [L1]
  if (launcher == nullptr || watch == nullptr || launcher->process() != 0) return;
  tell_of_left(*watch, 0, launcher->processes());
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
  its_process = getpid();
  is_slurms = std::getenv("SLURM_STEP_ID") != nullptr;
  set_teller_of_aborts(tell_of_abort_elsewhere);
  std::unique_ptr<LaunchedWay> made(new LaunchedWay(*launcher));
  the_launcher.store(launcher.release(), std::memory_order_release);  // [L1]
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
  options.node = name_of_node();
  options.one_node = is_on_one_node();
  options.longest_silence_s = static_cast<int>(settings::value(settings::Id::kLongestSilence));
  options.end = ender(listener_);
  options.name_of = name_of;
  options.heard = hear;
  options.context = listener_;
  auto* const made = new watch::Watch(options);
  if (listener_ != nullptr) listener_->speak_by(*made);
  the_watch.store(made, std::memory_order_release);  // [L2]
  return *made;
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
  if (ender(listener_) == nullptr) return {};
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
  if (process() == 0 || ender(listener_) == nullptr) return {};
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
  name_hosts(opening.layout);
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
  if (job_board().is_shared()) return;
  watch::Watch* const watch = the_watch.load(std::memory_order_acquire);  // [L2]
  if (watch != nullptr) tell_of_left(*watch, process(), processes());
}

void LaunchedWay::leave() noexcept {
  network_.reset();
  watch::Watch* const watch = the_watch.load(std::memory_order_acquire);  // [L2]
  if (watch != nullptr) watch->leave();
  launcher_.leave();
}

}  // namespace heddle::runtime
