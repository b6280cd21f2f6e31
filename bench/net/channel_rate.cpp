// channel_rate — the Neighbor Message Rate without MPI: packets by src/net/channel alone, over shared memory or libfabric.
//
// A message is a packet. A thread advances the channel of its neighbor, and at each n-th look all, as a worker of the
// library does. Where threads outnumber cores, one that waits yields.
//
// FI_PROVIDER names libfabric's provider; addresses are those of 127.0.0.1, and go from process to process through memory
// that they share.
//
//   channel_rate [--threads N] [--channels N] [--network shm|libfabric] [--seconds S]   prints 'rate PACKETS-SENT-A-SECOND'

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "base/platform/cpu.h"
#include "base/platform/shared_file.h"
#include "neighbors.h"
#include "net/channel/channels.h"
#include "net/transport/fabric/fabric.h"
#include "net/transport/shm/shm.h"

namespace {

using namespace heddle;
using namespace heddle::bench;

constexpr std::uint64_t kContext = 0;

// Of all processes.
struct Shared {
  struct Place {
    std::array<std::byte, 1000> bytes;
    std::size_t size;
    std::atomic<bool> is_there{false};
  };
  std::array<Place, kMostThreads + 1> places;
  std::atomic<bool> over{false};
  int memory = -1;  // for packets; its descriptor

  void publish(int host, const transport::Address& address) {
    Place& place = places[static_cast<std::size_t>(host)];
    if (address.size() > place.bytes.size()) fail("an address is too long");
    std::copy(address.begin(), address.end(), place.bytes.begin());
    place.size = address.size();
    place.is_there.store(true, std::memory_order_release);
  }
  transport::Bytes address_of(int host) const {
    const Place& place = places[static_cast<std::size_t>(host)];
    while (!place.is_there.load(std::memory_order_acquire)) sched_yield();
    return transport::Bytes(place.bytes).first(place.size);
  }
};

std::unique_ptr<transport::Factory> make_factory(const Shared& shared, const Options& options) {
  const int hosts = options.threads + 1;
  if (options.network == "libfabric") {
    transport::FabricOptions wanted;
    wanted.hosts = hosts;
    wanted.key = static_cast<std::uint64_t>(getpgrp());
    wanted.source = "127.0.0.1";
    return std::make_unique<transport::FabricFactory>(wanted);
  }
  if (options.network != "shm") fail("--network must be shm or libfabric");
  return std::make_unique<transport::ShmFactory>(shared.memory, hosts,
                                                 transport::Sleepers::kAtBells);
}

// What has come from each host; each is awaited by one thread.
class Arrivals final : public transport::Upcall {
 public:
  explicit Arrivals(const Shared& shared) : shared_(shared) {}

  void on_packet(int, int from, transport::Bytes packet) noexcept override {
    Of& of = hosts_[static_cast<std::size_t>(from)];
    std::uint32_t last;
    std::memcpy(&last, packet.data(), sizeof last);
    if (last != 0) of.last.store(true, std::memory_order_relaxed);
    // release: pairs with the acquire of the thread that finds the count.
    of.count.fetch_add(1, std::memory_order_release);
  }
  void on_lost(int, int) noexcept override {
    if (!shared_.over) fail("a process has died");
  }

  std::uint64_t count(int from) const noexcept {
    return hosts_[static_cast<std::size_t>(from)].count.load(std::memory_order_acquire);
  }
  bool last(int from) const noexcept {
    return hosts_[static_cast<std::size_t>(from)].last.load(std::memory_order_relaxed);
  }

 private:
  struct alignas(platform::kCacheLine) Of {
    std::atomic<std::uint64_t> count{0};
    std::atomic<bool> last{false};
  };
  const Shared& shared_;
  std::array<Of, kMostThreads + 1> hosts_;
};

class Host {
 public:
  Host(Shared& shared, int number, const Options& options)
      : number_(number), arrivals_(shared), factory_(make_factory(shared, options)) {
    if (Error e = factory_->open({.host = number, .channels = options.channels}, &transport_)) {
      fail("no network:", std::string(e.text()).c_str());
    }
    shared.publish(number, transport_->address());
    for (int other = 0; other <= options.threads; ++other) {
      if (other == number) continue;
      if (transport_->connect(other, shared.address_of(other))) fail("no way to a process");
    }
    channels_ = std::make_unique<channel::Channels>(*transport_, arrivals_);
  }

  // A round with a neighbor.
  void exchange(int neighbor, std::uint64_t round, bool last) {
    const int channel = channels_->channel_of(number_, neighbor, kContext);
    for (int i = 0; i < kBatch; ++i) {
      const std::uint32_t mark = last && i == kBatch - 1;
      if (!channels_->send(channel, neighbor, std::as_bytes(std::span(&mark, 1))))
        fail("no memory");
    }
    for (int idle = 0; arrivals_.count(neighbor) < (round + 1) * kBatch;) {
      const bool progress = channels_->poll(channel, ult::PollEffort::kIdle);
      if (!progress && ++idle % 64 == 0) sched_yield();
    }
  }
  // The neighbor may be a round ahead: its last message may have come before this process's last round.
  bool ends(int neighbor, std::uint64_t rounds) const noexcept {
    return arrivals_.last(neighbor) && arrivals_.count(neighbor) == rounds * kBatch;
  }
  void poll() { channels_->poll(-1, ult::PollEffort::kIdle); }

 private:
  const int number_;
  Arrivals arrivals_;
  const std::unique_ptr<transport::Factory> factory_;
  std::unique_ptr<transport::Transport> transport_;
  std::unique_ptr<channel::Channels> channels_;
};

void follow(Shared& shared, int number, const Options& options) {
  Host host(shared, number, options);
  for (std::uint64_t round = 0; !host.ends(0, round); ++round) host.exchange(0, round, false);
  while (!shared.over) host.poll();  // what it has sent may still be on its way
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  if (options.channels < 1 || options.channels > channel::kMost) fail("--channels must be 1 to 32");
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("no shared memory");
  Shared& shared = *new (memory) Shared;
  shared.memory = platform::make_shared_file();
  if (shared.memory < 0) fail("no shared memory");
  start_followers(options.threads, [&](int number) { follow(shared, number, options); });
  double rate = 0;
  {
    Host host(shared, 0, options);
    rate = measure(options, [&host](int thread) {
      return [&host, neighbor = thread + 1, round = std::uint64_t{0}](bool last) mutable {
        host.exchange(neighbor, round++, last);
      };
    });
    shared.over = true;
  }  // takes leave of the others, as they do
  end_followers();
  std::printf("rate %.0f\n", rate);
  return 0;
}
