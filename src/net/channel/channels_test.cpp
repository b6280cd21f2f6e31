// Messages between the processes of a few fake hosts, under many seeds, against what was promised:
// each arrives once, and in order for each sender, receiver and context.
#include "net/channel/channels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <tuple>

#include "base/spin_lock.h"
#include "exec/ult/completion.h"
#include "exec/ult/test_support.h"
#include "net/transport/fake/fabric.h"

namespace heddle::channel {
namespace {

using transport::Bytes;

struct Message {
  enum class Kind : int { kPlain, kAsk, kAnswer, kPiece };
  Kind kind;
  int from, to;
  std::uint64_t context;
  std::uint64_t number;  // among those of kind, from, to and context
};

Bytes bytes_of(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}

constexpr int kProcessesPerHost = 2;

// Hosts of a job that are connected with each other.
class Net {
 public:
  Net(int hosts, int channels, const transport::Faults& faults)
      : fabric_(hosts, faults),
        transports_(
            transport::connect_all(fabric_, hosts, {.channels = channels, .wake = ult::nudge})) {}
  transport::Transport& host(int number) { return *transports_[static_cast<std::size_t>(number)]; }

 private:
  transport::FakeFabric fabric_;
  std::vector<std::unique_ptr<transport::Transport>> transports_;
};

// One host, which checks the packets that arrive.
class Host final : public transport::Upcall {
 public:
  Host(Net& net, int number, int awaited)
      : transport_(net.host(number)), awaited_(awaited), channels_(transport_, *this) {
    if (awaited == 0) everything.set();
    channels_.start_polling();
  }
  ~Host() { channels_.stop_polling(); }

  void on_packet(int channel, int from_host, Bytes packet) noexcept override {
    Message message;
    ASSERT_GE(packet.size(), sizeof message);
    std::memcpy(&message, packet.data(), sizeof message);
    ASSERT_EQ(message.from / kProcessesPerHost, from_host);
    ASSERT_EQ(message.to / kProcessesPerHost, transport_.host());
    ASSERT_EQ(channel, channels_.channel_of(message.from, message.to, message.context));
    for (const std::byte byte : packet.subspan(sizeof message)) {
      ASSERT_EQ(byte, static_cast<std::byte>(message.number));
    }
    bool last;
    {
      SpinGuard guard(lock_);
      const auto stream = std::tuple(message.kind, message.from, message.to, message.context);
      ASSERT_EQ(next_[stream]++, message.number);
      last = ++arrived_ == awaited_;
    }
    if (message.kind == Message::Kind::kAsk) {
      std::swap(message.from, message.to);
      message.kind = Message::Kind::kAnswer;
      ASSERT_TRUE(channels_.send(channel, from_host, bytes_of(message)));
    }
    if (last) everything.set();
  }

  void on_lost(int, int) noexcept override { ADD_FAILURE(); }

  void send(const Message& message, std::size_t body_bytes) {
    const std::vector<std::byte> body(body_bytes, static_cast<std::byte>(message.number));
    const int channel = channels_.channel_of(message.from, message.to, message.context);
    ASSERT_TRUE(channels_.send(channel, message.to / kProcessesPerHost, bytes_of(message), body));
  }
  Channels& channels() { return channels_; }

  ult::Completion everything;

 private:
  transport::Transport& transport_;
  SpinLock lock_;  // guards the next two
  std::map<std::tuple<Message::Kind, int, int, std::uint64_t>, std::uint64_t> next_;
  int arrived_ = 0;
  const int awaited_;
  Channels channels_;
};

// A row of packets whose order among others is free.
class Row final : public Outbound {
 public:
  Row(const Message& first, int count) noexcept
      : Outbound(Order::kFree), next_(first), left_(count) {}
  Step send_next(transport::Endpoint& endpoint, std::span<std::byte>) noexcept override {
    if (!endpoint.try_send(next_.to / kProcessesPerHost, bytes_of(next_), {})) {
      return Step::kRefused;
    }
    ++next_.number;
    return --left_ == 0 ? Step::kLast : Step::kMore;
  }
  void sent() noexcept override { delete this; }
  void dropped() noexcept override { delete this; }

 private:
  Message next_;
  int left_;
};

struct Shape {
  int hosts, channels, workers;
};

// `threads` strands of every process send to all processes of other hosts. A turnstile for each
// stream numbers its messages in the order in which they are sent.
void storm(const Shape& shape, std::uint64_t seed, bool forced_yields) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed << ", hosts " << shape.hosts << ", channels "
                                    << shape.channels << ", workers " << shape.workers);
  constexpr int kThreads = 2, kMessages = 30, kPieces = 5;
  constexpr std::uint64_t kContexts = 3;
  const int processes = shape.hosts * kProcessesPerHost;
  const int others = processes - kProcessesPerHost;
  // Plain ones and questions, one answer for each question we asked, one row from each process.
  const int questions = kProcessesPerHost * others * kThreads * kMessages / 3;
  const int awaited = kProcessesPerHost * others * (kThreads * kMessages + kPieces) + questions;

  Net net(shape.hosts, shape.channels, transport::Faults::from_seed(seed));
  std::vector<std::unique_ptr<Host>> hosts;
  for (int i = 0; i < shape.hosts; ++i) {
    hosts.push_back(std::make_unique<Host>(net, i, awaited));
  }
  struct Stream {
    SpinLock lock;
    std::uint64_t plain = 0, asked = 0;
  };
  std::map<std::tuple<int, int, std::uint64_t>, Stream> streams;
  for (int from = 0; from < processes; ++from) {
    for (int to = 0; to < processes; ++to) {
      for (std::uint64_t context = 0; context < kContexts; ++context) streams[{from, to, context}];
    }
  }

  ult::ScopedScheduler scheduler(shape.workers, forced_yields ? seed : 0);
  ult::Ults ults;
  for (int from = 0; from < processes; ++from) {
    for (int thread = 0; thread < kThreads; ++thread) {
      ults.run_on((from + thread) % shape.workers, [&, from, thread] {
        Host& here = *hosts[static_cast<std::size_t>(from / kProcessesPerHost)];
        std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(from * kThreads + thread));
        for (int to = 0; to < processes; ++to) {
          if (to / kProcessesPerHost == from / kProcessesPerHost) continue;
          if (thread == 0) {
            auto* row = new Row({Message::Kind::kPiece, from, to, 7, 0}, kPieces);
            here.channels().put(here.channels().channel_of(from, to, 7), *row);
          }
          for (int i = 0; i < kMessages; ++i) {
            const std::uint64_t context = random() % kContexts;
            Stream& stream = streams.at({from, to, context});
            SpinGuard turnstile(stream.lock);
            const bool ask = i % 3 == 0;
            here.send({ask ? Message::Kind::kAsk : Message::Kind::kPlain, from, to, context,
                       ask ? stream.asked++ : stream.plain++},
                      random() % 200);
          }
        }
        // One of them waits for all of the host.
        if (from % kProcessesPerHost == 0 && thread == 0) here.everything.wait();
      });
    }
  }
  ults.join_all();
}

TEST(Channels, KeepOrderAndLoseNothingUnderFaults) {
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 6 : 25); ++seed) {
    storm({2, 1, 2}, seed, false);
    storm({2, 2, 2}, seed, false);
    storm({3, 4, 1}, seed, false);
    storm({3, 3, 3}, seed, false);
  }
}

TEST(Channels, KeepOrderAndLoseNothingWithForcedYields) {
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 4 : 15); ++seed) {
    storm({2, 1, 1}, seed, true);
    storm({2, 2, 2}, seed, true);
    storm({3, 1, 3}, seed, true);
  }
}

TEST(Channels, KeepOrderAndLoseNothingWithoutFaults) {
  storm({2, 2, 2}, 0, false);
  storm({4, 4, 2}, 0, false);
}

TEST(Channels, OfAPairAreTheSameInBothDirections) {
  Net net(2, 5, {});
  Host host(net, 0, 0);
  std::set<int> seen;
  for (int from = 0; from < 20; ++from) {
    for (int to = 0; to < 20; ++to) {
      const int channel = host.channels().channel_of(from, to, 42);
      EXPECT_EQ(channel, host.channels().channel_of(to, from, 42));
      seen.insert(channel);
    }
  }
  EXPECT_EQ(seen, (std::set<int>{0, 1, 2, 3, 4}));
}

// Kernel threads send and wait; there is no worker at all.
TEST(Channels, AreAdvancedByKernelThreadsThatWait) {
  constexpr std::uint64_t kMessages = 500;
  Net net(2, 3, transport::Faults::from_seed(5));
  Host left(net, 0, kMessages), right(net, 1, kMessages);
  const auto run = [](Host& host, int from, int to) {
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      host.send({Message::Kind::kPlain, from, to, 1, i}, i % 50);
    }
    host.everything.wait();
  };
  std::thread other([&] { run(left, 0, 2); });
  run(right, 2, 0);
  other.join();
}

// Only the one that waits is in here; the other workers compute, whatever their home channels hold.
TEST(Channels, AreAdvancedByTheOnlyOneWhoWaits) {
  Net net(2, 4, transport::Faults::from_seed(9));
  Host left(net, 0, 40), right(net, 1, 0);
  ult::ScopedScheduler scheduler(4);
  ult::Ults ults;
  std::atomic<bool> computing{true};
  std::atomic<int> computers{0};
  for (int worker = 0; worker < 3; ++worker) {
    ults.run_on(worker, [&] {
      ++computers;
      while (computing) sched_yield();
    });
  }
  ults.run_on(3, [&] { left.everything.wait(); });
  while (computers != 3) sched_yield();
  for (std::uint64_t context = 0; context < 40; ++context) {
    right.send({Message::Kind::kPlain, 2, 0, context, 0}, 10);
  }
  while (!left.everything.done()) sched_yield();
  computing = false;
  ults.join_all();
}

// The case of [channels] (docs/papers.md): one strand waits, a packet comes on a channel that is no worker's home, and the
// worker is never idle, since two others take turns. Only each n-th look in passing finds it: channel/no_looks must fail.
TEST(Channels, AreAdvancedInPassingForTheOnlyOneWhoWaits) {
  constexpr int kTurns = 100, kMost = 100'000;
  Net net(2, 2, {});
  Host left(net, 0, 1), right(net, 1, 0);
  std::uint64_t context = 0;
  while (left.channels().channel_of(2, 0, context) == 0) ++context;
  ult::ScopedScheduler scheduler(1);
  ult::Ults ults;
  std::atomic<int> ended{0};
  bool waits = false, computing = true;  // the one worker's
  ults.run([&] {
    while (computing) ult::yield();
    ++ended;
  });
  ults.run([&] {
    while (!waits) ult::yield();
    for (int i = 0; i < kTurns; ++i) ult::yield();
    right.send({Message::Kind::kPlain, 2, 0, context, 0}, 10);
    for (int i = 0; i < kMost && !left.everything.done(); ++i) ult::yield();
    EXPECT_TRUE(left.everything.done()) << "no look has found the packet";
    computing = false;
    ++ended;
  });
  ults.run([&] {
    waits = true;
    left.everything.wait();
    ++ended;
  });
  while (ended != 3) sched_yield();  // a kernel thread in join_all() would poll
}

TEST(Channels, CanBeClosedWithPacketsUnderWay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Net net(2, 2, transport::Faults::from_seed(seed));
    Host left(net, 0, 0), right(net, 1, 0);
    for (std::uint64_t i = 0; i < 40; ++i) {
      left.send({Message::Kind::kPlain, 0, 2, 1, i}, 20);
    }
    left.channels().put(0, *new Row({Message::Kind::kPiece, 0, 2, 7, 0}, 100));
  }
}

}  // namespace
}  // namespace heddle::channel
