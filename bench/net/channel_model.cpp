// channel_model — the Neighbor Message Rate in virtual time: the code of src/net/channel over the fake network, each
// thread as if on a core of its own. It shows what locks cost where a machine has too few cores to show it.
//
//   host 0: thread 0 <-> host 1, thread 1 <-> host 2, …        each round: 12 messages sent, 12 awaited
//
//   --way    the channel of a message
//   -------  ------------------------------------------------------------------------------------------
//   lock     the only one, and a lock around each call of a process (the paper's base)
//   hash     (source + destination + communicator) mod channels, as the library has it
//   own      that of the sending thread's worker, at both ends: what endpoints of the program would give
//   apart    it leaves by that of the thread's worker, and arrives by that of `hash`
//
//   channel_model [--way W] [--threads N] [--channels N]        prints lines 'WORD NUMBER':
//     rate     messages that all threads of host 0 have sent in 1000 instructions
//     linear   rate / (threads * the rate of one thread)
//     left     of 1000 messages: left to another thread, since that one had the channel's lock
//     locked   for 1000 messages: looks of a thread at its own channel that found it locked

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "net/channel/channels.h"
#include "net/transport/fake/fabric.h"
#include "virtual_time.h"

namespace {

using namespace heddle;
using bench::VirtualTime;
using transport::Bytes;

// Instructions, counted by callgrind (docs/bench-notes/channels.md): of a call outside of the channel, of a look of
// MPI_Waitall; of a packet that leaves, one that comes, and a look that finds none, with the channel's lock.
constexpr VirtualTime::Time kIrecv = 330, kIsend = 380, kTest = 50;
constexpr VirtualTime::Time kSend = 200, kDeliver = 450, kLook = 40;
// What another thread has used last comes from that thread's core: a lock, and what it guards. A guess.
constexpr VirtualTime::Time kLine = 200;
constexpr VirtualTime::Time kPause = 100;  // between two looks
constexpr int kBatch = 12, kRounds = 40, kMostThreads = 32;
constexpr std::uint64_t kContext = 0;

enum class Way { kLock, kHash, kOwn, kApart };

struct Options {
  Way way = Way::kHash;
  int threads = 1, channels = 1;
};

struct Message {
  int thread;  // that has sent it
  int number;  // among those of the thread
  int arrives_by;
};

// The lock around calls, in virtual time.
class Lock {
 public:
  explicit Lock(VirtualTime& time) : time_(time) {}
  void lock() {
    while (held_) {
      waiting_.push_back(VirtualTime::self());
      time_.wait();
    }
    held_ = true;
    if (std::exchange(last_, VirtualTime::self()) != VirtualTime::self()) time_.spend(kLine);
  }
  void unlock() {
    held_ = false;
    if (waiting_.empty()) return;
    time_.wake(waiting_.front());
    waiting_.pop_front();
  }

 private:
  VirtualTime& time_;
  bool held_ = false;
  int last_ = -1;
  std::deque<int> waiting_;
};

// A fake network whose calls take time. A channel's lock is held exactly while a call of its endpoint goes on, since
// nothing else takes time with it.
class TimedTransport final : public transport::Transport {
 public:
  TimedTransport(const transport::Opening& opening, std::unique_ptr<Transport> inner,
                 VirtualTime& time)
      : Transport(opening),
        inner_(std::move(inner)),
        time_(time),
        endpoints_(static_cast<std::size_t>(opening.channels)) {}

  transport::Traits traits() const noexcept override { return inner_->traits(); }
  transport::Address address() const override { return inner_->address(); }
  Error connect(int host, Bytes address) override { return inner_->connect(host, address); }
  std::unique_ptr<transport::Endpoint> open(int channel, transport::Upcall& upcall) override {
    auto made = std::make_unique<TimedEndpoint>(*this, inner_->open(channel, upcall));
    endpoints_[static_cast<std::size_t>(channel)] = made.get();
    return made;
  }

  bool in_use(int channel) const { return endpoints_[static_cast<std::size_t>(channel)]->in_use_; }
  // The last message of the calling thread that has reached the network.
  int last_sent() const { return last_sent_[static_cast<std::size_t>(VirtualTime::self())]; }

 private:
  class TimedEndpoint final : public transport::Endpoint {
   public:
    TimedEndpoint(TimedTransport& transport, std::unique_ptr<Endpoint> inner)
        : transport_(transport), inner_(std::move(inner)) {}
    bool try_send(int to_host, Bytes head, Bytes body) noexcept override {
      begin(kSend);
      Message message;
      std::memcpy(&message, head.data(), sizeof message);
      transport_.last_sent_[static_cast<std::size_t>(message.thread)] = message.number;
      Endpoint& by = *transport_.endpoints_[static_cast<std::size_t>(message.arrives_by)]->inner_;
      const bool sent = by.try_send(to_host, head, body);
      in_use_ = false;
      return sent;
    }
    bool poll() noexcept override {
      begin(kLook);
      const bool came = inner_->poll();
      in_use_ = false;
      return came;
    }
    void begin(VirtualTime::Time time) {
      in_use_ = true;
      const bool other = std::exchange(last_, VirtualTime::self()) != VirtualTime::self();
      transport_.time_.spend(time + (other ? kLine : 0));
    }

    TimedTransport& transport_;
    const std::unique_ptr<Endpoint> inner_;
    bool in_use_ = false;
    int last_ = -1;  // thread that has used it
  };

  const std::unique_ptr<Transport> inner_;
  VirtualTime& time_;
  std::vector<TimedEndpoint*> endpoints_;
  std::vector<int> last_sent_ = std::vector<int>(2 * kMostThreads, -1);  // by thread
};

struct Counts {
  std::int64_t sent = 0, left = 0, locked = 0;
};

class Host final : public transport::Upcall {
 public:
  Host(VirtualTime& time, std::unique_ptr<TimedTransport> transport, const Options& options)
      : time_(time),
        options_(options),
        transport_(std::move(transport)),
        channels_(*transport_, *this),
        arrived_(kMostThreads + 1),
        lock_(time) {}

  void on_packet(int, int from, Bytes) noexcept override {
    time_.spend(kDeliver);
    ++arrived_[static_cast<std::size_t>(from)];
  }
  void on_lost(int, int) noexcept override { std::abort(); }

  // A thread's rounds with a neighbor. `worker`: the thread's.
  void exchange(int worker, int neighbor) {
    int number = 0;
    for (int round = 1; round <= kRounds; ++round) {
      for (int i = 0; i < kBatch; ++i) {
        call(kIrecv, [] {});
      }
      for (int i = 0; i < kBatch; ++i) {
        call(kIsend, [&] { send(worker, neighbor, number++); });
      }
      for (bool all = false; !all;) {
        call(kTest, [&] {
          look(worker);
          all = arrived_[static_cast<std::size_t>(neighbor)] >= round * kBatch;
        });
        if (!all) time_.spend(kPause);
      }
    }
  }

  const Counts& counts() const { return counts_; }

 private:
  template <class Work>
  void call(VirtualTime::Time time, Work work) {
    const bool locks = options_.way == Way::kLock;
    if (locks) lock_.lock();
    time_.spend(time);
    work();
    if (locks) lock_.unlock();
  }
  void send(int worker, int neighbor, int number) {
    const int hashed = channels_.channel_of(transport_->host(), neighbor, kContext);
    const int own = worker % options_.channels;
    const Message message{VirtualTime::self(), number, options_.way == Way::kOwn ? own : hashed};
    const int leaves_by = options_.way == Way::kApart ? own : message.arrives_by;
    if (!channels_.send(leaves_by, neighbor, std::as_bytes(std::span(&message, 1)))) std::abort();
    ++counts_.sent;
    if (transport_->last_sent() != number) ++counts_.left;
  }
  void look(int worker) {
    if (transport_->in_use(worker % options_.channels)) ++counts_.locked;
    channels_.poll(worker, ult::PollEffort::kIdle);
  }

  VirtualTime& time_;
  const Options options_;
  const std::unique_ptr<TimedTransport> transport_;
  channel::Channels channels_;
  std::vector<int> arrived_;  // by host
  Lock lock_;
  Counts counts_;
};

struct Measured {
  double rate = 0;
  Counts counts;
};

Measured measure(const Options& options) {
  VirtualTime time;
  const int hosts = options.threads + 1;
  transport::FakeFabric fabric(hosts, {});
  std::vector<std::unique_ptr<TimedTransport>> transports;
  for (int host = 0; host < hosts; ++host) {
    const transport::Opening opening{.host = host, .channels = options.channels};
    transports.push_back(std::make_unique<TimedTransport>(opening, fabric.attach(opening), time));
  }
  for (const auto& from : transports) {
    for (const auto& to : transports) {
      if (from != to && from->connect(to->host(), to->address())) std::abort();
    }
  }
  std::vector<std::unique_ptr<Host>> all;
  for (auto& transport : transports) {
    all.push_back(std::make_unique<Host>(time, std::move(transport), options));
  }
  std::vector<VirtualTime::Time> ends(static_cast<std::size_t>(options.threads));
  time.run(2 * options.threads, [&](int strand) {
    const int thread = strand / 2, neighbor = thread + 1;
    if (strand % 2 != 0) {  // the neighbor's only thread
      all[static_cast<std::size_t>(neighbor)]->exchange(options.way == Way::kOwn ? thread : 0, 0);
      return;
    }
    all[0]->exchange(thread, neighbor);
    ends[static_cast<std::size_t>(thread)] = time.now();
  });
  const Counts counts = all[0]->counts();
  const auto end = *std::max_element(ends.begin(), ends.end());
  return {1000.0 * static_cast<double>(counts.sent) / static_cast<double>(end), counts};
}

void report(const Options& options) {
  const Measured one = measure({options.way, 1, 1}), found = measure(options);
  const auto of_thousand = [&](std::int64_t count) {
    return 1000.0 * static_cast<double>(count) / static_cast<double>(found.counts.sent);
  };
  std::printf("rate %.3f\nlinear %.3f\nleft %.2f\nlocked %.2f\n", found.rate,
              found.rate / (options.threads * one.rate), of_thousand(found.counts.left),
              of_thousand(found.counts.locked));
}

[[noreturn]] void usage() {
  std::fputs(
      "channel_model: options are --way lock|hash|own|apart, --threads N and --channels N, 1 to "
      "32\n",
      stderr);
  std::exit(2);
}

Way way_of(std::string_view name) {
  if (name == "lock") return Way::kLock;
  if (name == "hash") return Way::kHash;
  if (name == "own") return Way::kOwn;
  if (name == "apart") return Way::kApart;
  usage();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--way") {
      options.way = way_of(value);
    } else if (name == "--threads") {
      options.threads = std::atoi(value);
    } else if (name == "--channels") {
      options.channels = std::atoi(value);
    } else {
      usage();
    }
  }
  const auto in_range = [](int value, int most) { return value >= 1 && value <= most; };
  if (!in_range(options.threads, kMostThreads) || !in_range(options.channels, channel::kMost))
    usage();
  if (options.way == Way::kLock) options.channels = 1;
  report(options);
  return 0;
}
