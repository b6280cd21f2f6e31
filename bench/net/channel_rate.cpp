// channel_rate — the Neighbor Message Rate without MPI: packets by src/net/channel alone, over shared memory.
//
//   process 0: thread 0 <-> process 1, thread 1 <-> process 2, …        each round: 12 packets sent, 12 awaited
//
// A packet is 4 bytes, what says which round is the last. A thread advances the channel of its neighbour, and at each n-th look
// all, as a worker of the library does. Where threads outnumber cores, one that waits yields.
//
//   channel_rate [--threads N] [--channels N] [--seconds S]             prints 'rate PACKETS-SENT-A-SECOND'

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/platform/cpu.h"
#include "base/platform/shared_file.h"
#include "net/channel/channels.h"
#include "net/transport/shm/shm.h"

namespace {

using namespace heddle;

constexpr int kMostThreads = 32, kBatch = 12, kWarmup = 10;
constexpr std::uint64_t kContext = 0;

struct Options {
  int threads = 1;
  int channels = 1;
  double seconds = 0.3;
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "channel_rate: %s\n", what);
  std::exit(2);
}

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

  // A round with a neighbour.
  void exchange(int neighbour, std::uint64_t round, bool last) {
    const int channel = channels_->channel_of(number_, neighbour, kContext);
    for (int i = 0; i < kBatch; ++i) {
      const std::uint32_t mark = last && i == kBatch - 1;
      if (!channels_->send(channel, neighbour, std::as_bytes(std::span(&mark, 1))))
        fail("no memory");
    }
    for (int idle = 0; arrivals_.count(neighbour) < (round + 1) * kBatch;) {
      const bool progress = channels_->poll(channel, ult::PollEffort::kIdle);
      if (!progress && ++idle % 64 == 0) sched_yield();
    }
  }
  bool last(int neighbour) const noexcept { return arrivals_.last(neighbour); }

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

// Packets that all threads of process 0 have sent, in a second of the slowest.
double measure(int memory, const Options& options) {
  using Clock = std::chrono::steady_clock;
  Host host(memory, 0, options);
  std::atomic<int> ready{0};
  std::vector<double> seconds(static_cast<std::size_t>(options.threads));
  std::vector<std::uint64_t> rounds(seconds.size());
  const auto run = [&](int thread) {
    std::uint64_t round = 0;
    for (; round < kWarmup; ++round) host.exchange(thread + 1, round, false);
    ++ready;
    while (ready < options.threads) sched_yield();
    const auto start = Clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    do {
      for (int i = 0; i < 16; ++i) host.exchange(thread + 1, round++, false);
    } while (elapsed() < options.seconds);
    seconds[static_cast<std::size_t>(thread)] = elapsed();
    rounds[static_cast<std::size_t>(thread)] = round - kWarmup;
    host.exchange(thread + 1, round, true);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < options.threads; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
  double slowest = 0, sent = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    slowest = std::max(slowest, seconds[i]);
    sent += static_cast<double>(rounds[i] * kBatch);
  }
  return sent / slowest;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--threads") {
      options.threads = std::atoi(value);
    } else if (name == "--channels") {
      options.channels = std::atoi(value);
    } else if (name == "--seconds") {
      options.seconds = std::atof(value);
    } else {
      fail("options are --threads N, --channels N and --seconds S");
    }
  }
  if (options.threads < 1 || options.threads > kMostThreads) fail("--threads must be 1 to 32");
  if (options.channels < 1 || options.channels > channel::kMost) fail("--channels must be 1 to 32");
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  const int memory = platform::make_shared_file();
  if (memory < 0) fail("no shared memory");
  for (int number = 1; number <= options.threads; ++number) {
    if (fork() == 0) {
      follow(memory, number, options);
      _exit(0);
    }
  }
  const double rate = measure(memory, options);
  while (wait(nullptr) > 0) continue;
  std::printf("rate %.0f\n", rate);
  return 0;
}
