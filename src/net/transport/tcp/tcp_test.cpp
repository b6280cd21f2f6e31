// The transport's hosts in one process, on loopback; and such as tests play.
#include "net/transport/tcp/tcp.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/platform/clock.h"
#include "net/door/addresses.h"
#include "net/door/greeting.h"
#include "net/transport/network_cases_test.h"
#include "net/transport/tcp/frame.h"

namespace heddle::transport {
namespace {

constexpr door::Secret kSecret = {{0x9E3779B97F4A7C15, 3}};

class TcpNet {
 public:
  using Factory = TcpFactory;
  static std::unique_ptr<Factory> make(int hosts) {
    return std::make_unique<Factory>(TcpOptions{.hosts = hosts, .secret = kSecret});
  }
  std::vector<std::unique_ptr<Transport>> connect(const std::vector<int>& hosts, Opening opening) {
    return open_all(*factory_, hosts, opening);
  }
  void cut(int host) { factory_->lose(host); }

 private:
  const std::unique_ptr<Factory> factory_ = make(8);
};
INSTANTIATE_TYPED_TEST_SUITE_P(Tcp, EveryTransport, TcpNet);
INSTANTIATE_TYPED_TEST_SUITE_P(Tcp, EveryNetwork, TcpNet);

// A host that computes looks at its door when it is done, however long that takes.
TEST(Tcp, WaitsForAHostThatLooksAtNoDoor) {
  for (const int from : {0, 1}) {
    TcpFactory factory(
        {.hosts = 2, .secret = kSecret, .longest_greeting_ms = 1, .longest_try_ms = 1});
    auto hosts = open_all(factory, {0, 1}, {});
    Recorder recorders[2];
    std::unique_ptr<Endpoint> ends[2];
    for (std::size_t i = 0; i < 2; ++i) ends[i] = hosts[i]->open(0, recorders[i]);
    Endpoint &sender = *ends[from], &receiver = *ends[1 - from];
    EXPECT_TRUE(sender.try_send(1 - from, bytes_of(5), {}));
    const std::int64_t until = platform::now_ns() + 100'000'000;
    poll_until({&sender}, [&] { return platform::now_ns() > until; });
    poll_until({&sender, &receiver},
               [&] { return !recorders[1 - from].got.empty() || !recorders[from].lost.empty(); });
    EXPECT_TRUE(recorders[from].lost.empty()) << from;
  }
}

// A connection to the door of a host's channel, which is the last one of its address.
int connected_to(const Transport& transport) {
  const Address address = transport.address();
  std::uint16_t port = 0;
  std::memcpy(&port, address.data() + address.size() - sizeof port, sizeof port);
  std::vector<door::Ip> loopback;
  EXPECT_FALSE(door::find_own_addresses(true, &loopback));
  const int made = door::begin_to_connect(loopback[0], port);
  pollfd waiting = {made, POLLOUT, 0};
  EXPECT_EQ(::poll(&waiting, 1, -1), 1);
  return made;
}

// Any process of the machine may connect to the ports of a job: it sends garbage, the begin of a hello, or nothing.
TEST(Tcp, GoesOnWhenStrangersComeToItsPorts) {
  TcpNet net;
  Recorder ignored, recorder;
  auto hosts = net.connect({0, 1}, {});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, recorder);
  const std::initializer_list<Endpoint*> ends = {sender.get(), receiver.get()};
  std::mt19937 random(1);
  std::vector<int> strangers;
  for (int number = 0; number < 400; ++number) {
    strangers.push_back(connected_to(*hosts[static_cast<std::size_t>(number % 2)]));
    std::vector<std::byte> said(random() % 200);
    for (std::byte& byte : said) byte = static_cast<std::byte>(random());
    door::Hello hello;
    hello.from = static_cast<std::int32_t>(random() % 9);
    hello.to = 1;
    hello.what = static_cast<door::What>(random() % 4);
    if (number % 3 == 0) std::memcpy(said.data(), &hello, std::min(said.size(), sizeof hello));
    send(strangers.back(), said.data(), said.size(), MSG_NOSIGNAL);
    poll_until(ends, [&] { return sender->try_send(1, bytes_of(number), {}); });
    poll_until(ends, [&] { return recorder.got.size() > static_cast<std::size_t>(number); });
    ASSERT_EQ(recorder.got.back().number, number);
  }
  for (const int stranger : strangers) close(stranger);
  EXPECT_TRUE(recorder.lost.empty());
}

// A host of the job that says what it likes.
class PlayedHost {
 public:
  PlayedHost(const Transport& to, Endpoint& its_end) : end_(&its_end) {
    descriptor_ = connected_to(to);
    door::Greeting greeting(kSecret, {0, "played"}, to.host(), door::What::kStream);
    while (greeting.advance(descriptor_) != door::Greeting::State::kKnown) look();
  }
  ~PlayedHost() { close(descriptor_); }

  // The other end is destroyed next.
  void forget_end() { end_ = nullptr; }

  // In pieces of random lengths, between which the other end looks. False: the stream is over.
  bool say(Bytes bytes, std::mt19937& random) {
    while (!bytes.empty()) {
      const Bytes piece = bytes.first(std::min<std::size_t>(bytes.size(), 1 + random() % 5000));
      const ssize_t sent =
          ::send(descriptor_, piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) return false;
      if (sent > 0) bytes = bytes.subspan(static_cast<std::size_t>(sent));
      look();
    }
    return true;
  }
  // All that the other end says until its farewell. False: it says none.
  bool hears_farewell() {
    const auto read_whole = [this](void* to, std::size_t bytes) {
      for (auto* at = static_cast<char*>(to); bytes > 0;) {
        const ssize_t came = recv(descriptor_, at, bytes, MSG_DONTWAIT);
        if (came == 0 || (came < 0 && errno != EAGAIN)) return false;
        look();
        if (came < 0) continue;
        at += came;
        bytes -= static_cast<std::size_t>(came);
      }
      return true;
    };
    FrameHead head;
    std::vector<std::byte> payload;
    while (read_whole(&head, sizeof head)) {
      if (head.kind == FrameKind::kFarewell) return true;
      if (head.kind != FrameKind::kPacket) return false;
      payload.resize(frame_bytes(head.bytes) - sizeof head);
      if (!read_whole(payload.data(), payload.size())) return false;
    }
    return false;
  }

 private:
  void look() {
    if (end_ != nullptr) end_->poll();
  }

  Endpoint* end_;
  int descriptor_ = -1;
};

void append_frame(std::vector<std::byte>* to, FrameKind kind, Bytes payload) {
  FrameHead head;
  head.kind = kind;
  head.bytes = static_cast<std::uint32_t>(payload.size());
  const Bytes bytes = std::as_bytes(std::span(&head, 1));
  to->insert(to->end(), bytes.begin(), bytes.end());
  to->insert(to->end(), payload.begin(), payload.end());
  to->resize(to->size() + padding_behind(payload.size()));
}

// However the network cuts the stream.
TEST(Tcp, TakesFramesThatComeInPieces) {
  class Checker final : public Upcall {
   public:
    void on_packet(int, int from, Bytes packet) noexcept override {
      EXPECT_EQ(from, 0);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(packet.data()) % kFrameAlignment, 0u);
      ASSERT_LT(next, lengths.size());
      ASSERT_EQ(packet.size(), lengths[next]);
      const auto wanted = static_cast<std::byte>(next);
      EXPECT_TRUE(
          std::all_of(packet.begin(), packet.end(), [=](std::byte is) { return is == wanted; }));
      ++next;
    }
    void on_lost(int, int) noexcept override { ADD_FAILURE(); }
    std::vector<std::size_t> lengths;
    std::size_t next = 0;
  } checker;
  TcpNet net;
  auto hosts = net.connect({0, 1}, {});
  auto receiver = hosts[1]->open(0, checker);
  PlayedHost host0(*hosts[1], *receiver);
  std::mt19937 random(2);
  const std::size_t most = hosts[1]->traits().packet_bytes;
  std::vector<std::byte> all;
  for (int i = 0; i < 300; ++i) {
    checker.lengths.push_back(random() % (i % 10 == 0 ? most + 1 : 100));
    const std::vector<std::byte> payload(checker.lengths.back(), static_cast<std::byte>(i));
    append_frame(&all, FrameKind::kPacket, payload);
  }
  EXPECT_TRUE(host0.say(all, random));
  poll_until({receiver.get()}, [&] { return checker.next == checker.lengths.size(); });
  all.clear();
  append_frame(&all, FrameKind::kFarewell, {});
  EXPECT_TRUE(host0.say(all, random));
}

// Whatever waits for the payload may be gone with the endpoint.
TEST(Tcp, WritesNoPayloadOnceTheEndpointHasEnded) {
  class Placer final : public Upcall, public Reader {
   public:
    Landing on_begin(int, int, Bytes, std::size_t bytes) noexcept override {
      place.resize(bytes);
      return {place, this};
    }
    void came(std::size_t) noexcept override { ADD_FAILURE(); }
    void on_packet(int, int, Bytes) noexcept override { ADD_FAILURE(); }
    void on_lost(int, int) noexcept override { ADD_FAILURE(); }
    std::vector<std::byte> place;
  } placer;
  TcpNet net;
  auto hosts = net.connect({0, 1}, {});
  auto receiver = hosts[1]->open(0, placer);
  PlayedHost host0(*hosts[1], *receiver);
  std::vector<std::byte> all;
  const std::vector<std::byte> payload(50'001, std::byte{1});
  append_frame(&all, FrameKind::kPacket, payload);
  append_frame(&all, FrameKind::kPacket, Bytes(payload).first(5));
  append_frame(&all, FrameKind::kFarewell, {});
  std::mt19937 random(6);
  EXPECT_TRUE(host0.say(Bytes(all).first(20'000), random));
  poll_until({receiver.get()}, [&] { return !placer.place.empty(); });
  host0.forget_end();
  receiver.reset();
  std::fill(placer.place.begin(), placer.place.end(), std::byte{2});
  EXPECT_TRUE(host0.say(Bytes(all).subspan(20'000), random));
  EXPECT_TRUE(host0.hears_farewell());
  EXPECT_EQ(std::count(placer.place.begin(), placer.place.end(), std::byte{2}), 50'001);
}

// What the kernel has taken a part of goes before the farewell.
TEST(Tcp, AnswersAFarewellWhileAFrameIsUnderWay) {
  TcpNet net;
  Recorder ignored;
  auto hosts = net.connect({0, 1}, {});
  auto sender = hosts[1]->open(0, ignored);
  PlayedHost host0(*hosts[1], *sender);
  const std::vector<std::byte> body(hosts[1]->traits().packet_bytes);
  while (sender->try_send(0, body, {})) sender->poll();
  std::vector<std::byte> farewell;
  append_frame(&farewell, FrameKind::kFarewell, {});
  std::mt19937 random(5);
  EXPECT_TRUE(host0.say(farewell, random));
  for (int i = 0; i < 100; ++i) sender->poll();
  EXPECT_TRUE(host0.hears_farewell());
}

// Both hosts send packets of any length, and read from each other, as they find room: each frame may lie anywhere in what one call
// of the kernel brings.
TEST(Tcp, PacketsAndReadsPassEachOtherInBothDirections) {
  class Checker final : public Upcall, public Reader {
   public:
    void on_packet(int, int, Bytes packet) noexcept override {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(packet.data()) % kFrameAlignment, 0u);
      const auto wanted = static_cast<std::byte>(packets);
      EXPECT_TRUE(
          std::all_of(packet.begin(), packet.end(), [=](std::byte is) { return is == wanted; }));
      ++packets;
    }
    void on_lost(int, int) noexcept override { ADD_FAILURE(); }
    void came(std::size_t) noexcept override { ++reads; }
    int packets = 0, reads = 0;
  } checkers[2];
  constexpr int kTimes = 400;
  TcpNet net;
  auto hosts = net.connect({0, 1}, {});
  std::unique_ptr<Endpoint> ends[2];
  std::mt19937 random(4);
  std::vector<std::byte> memory(1 << 20);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
  RemoteMemory how[2];
  for (std::size_t i = 0; i < 2; ++i) {
    ends[i] = hosts[i]->open(0, checkers[i]);
    ASSERT_TRUE(ends[i]->expose(memory, &how[i]));
  }
  struct Wanted {
    std::size_t offset;
    std::vector<std::byte> into;
  };
  std::vector<Wanted> reads;
  reads.reserve(2 * kTimes);
  const std::initializer_list<Endpoint*> both = {ends[0].get(), ends[1].get()};
  for (int i = 0; i < kTimes; ++i) {
    for (std::size_t from = 0; from < 2; ++from) {
      Endpoint& end = *ends[from];
      const int to = from == 0 ? 1 : 0;
      const std::vector<std::byte> packet(random() % (i % 4 == 0 ? 65'000 : 200),
                                          static_cast<std::byte>(i));
      poll_until(both, [&] { return end.try_send(to, packet, {}); });
      const std::size_t bytes = 1 + random() % (i % 3 == 0 ? 200'000 : 50);
      Wanted& read = reads.emplace_back(
          Wanted{random() % (memory.size() - bytes), std::vector<std::byte>(bytes)});
      poll_until(both, [&] {
        return end.try_read({to, how[1 - from], read.offset, read.into, &checkers[from]});
      });
    }
  }
  poll_until(both, [&] {
    return std::all_of(checkers, checkers + 2, [](const Checker& each) {
      return each.packets == kTimes && each.reads == kTimes;
    });
  });
  for (const Wanted& each : reads) {
    ASSERT_TRUE(std::equal(each.into.begin(), each.into.end(),
                           memory.begin() + static_cast<std::ptrdiff_t>(each.offset)));
  }
}

// Frames that make no sense end the stream, and its host is lost; nothing outside of the frames is touched (AddressSanitizer).
TEST(Tcp, NonsenseOfAHostEndsItsStream) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    TcpNet net;
    Recorder recorder;
    auto hosts = net.connect({0, 1}, {});
    auto receiver = hosts[1]->open(0, recorder);
    const std::vector<std::byte> memory(1000);
    RemoteMemory how;
    ASSERT_TRUE(receiver->expose(memory, &how));
    PlayedHost host0(*hosts[1], *receiver);
    std::vector<std::byte> all;
    for (int i = 0; i < 5; ++i)
      append_frame(&all, FrameKind::kPacket, std::vector<std::byte>(random() % 500 + 4));
    ReadFrame read = {how.key, random() % 1200, random() % 1200};
    append_frame(&all, FrameKind::kRead, std::as_bytes(std::span(&read, 1)));
    for (std::uint32_t i = 0; i < 1 + random() % 4; ++i)
      all[random() % all.size()] = static_cast<std::byte>(random());
    host0.say(all, random);
    receiver->conceal(how);
    net.cut(0);
  }
}

}  // namespace
}  // namespace heddle::transport
