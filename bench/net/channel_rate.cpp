// channel_rate — the Neighbor Message Rate without MPI: packets by src/net/channel alone, over shared memory.
//
// A message is a packet. A thread advances the channel of its neighbor, and at each n-th look all, as a worker of the
// library does. Where threads outnumber cores, one that waits yields.
//
//   channel_rate [--threads N] [--channels N] [--seconds S]             prints 'rate PACKETS-SENT-A-SECOND'

#include <array>
#include <atomic>
#include <cstring>
#include <memory>

#include "base/platform/cpu.h"
#include "base/platform/shared_file.h"
#include "neighbors.h"
#include "net/channel/channels.h"
#include "net/transport/shm/shm.h"

namespace {

using namespace heddle;
using namespace heddle::bench;

constexpr std::uint64_t kContext = 0;

// What has come from each host; each is awaited by one thread.
class Arrivals final : public transport::Upcall {
 public:
  void on_packet(int, int from, transport::Bytes packet) noexcept override {
    Of& of = hosts_[static_cast<std::size_t>(from)];
    std::uint32_t last;
    std::memcpy(&last, packet.data(), sizeof last);
    if (last != 0) of.last.store(true, std::memory_order_relaxed);
    // release: pairs with the acquire of the thread that finds the count.
    of.count.fetch_add(1, std::memory_order_release);
  }
  void on_lost(int, int) noexcept override { fail("a process has died"); }

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
  std::array<Of, kMostThreads + 1> hosts_;
};

class Host {
 public:
  Host(int memory, int number, const Options& options)
      : number_(number), factory_(memory, options.threads + 1, transport::Sleepers::kAtBells) {
    if (factory_.open({.host = number, .channels = options.channels}, &transport_)) {
      fail("no shared memory");
    }
    for (int other = 0; other <= options.threads; ++other) {
      if (other == number) continue;
      if (transport_->connect(other, factory_.address_of(other))) fail("no way to a process");
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
  bool last(int neighbor) const noexcept { return arrivals_.last(neighbor); }

 private:
  const int number_;
  Arrivals arrivals_;
  transport::ShmFactory factory_;
  std::unique_ptr<transport::Transport> transport_;
  std::unique_ptr<channel::Channels> channels_;
};

void follow(int memory, int number, const Options& options) {
  Host host(memory, number, options);
  for (std::uint64_t round = 0; !host.last(0); ++round) host.exchange(0, round, false);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  if (options.channels < 1 || options.channels > channel::kMost) fail("--channels must be 1 to 32");
  const int memory = platform::make_shared_file();
  if (memory < 0) fail("no shared memory");
  start_followers(options.threads, [&](int number) { follow(memory, number, options); });
  Host host(memory, 0, options);
  const double rate = measure(options, [&host](int thread) {
    return [&host, neighbor = thread + 1, round = std::uint64_t{0}](bool last) mutable {
      host.exchange(neighbor, round++, last);
    };
  });
  end_followers();
  std::printf("rate %.0f\n", rate);
  return 0;
}
