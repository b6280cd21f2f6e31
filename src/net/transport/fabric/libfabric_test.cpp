// The transport's hosts in one process, over the provider that is taken by itself, on loopback.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "net/transport/fabric/fabric.h"
#include "net/transport/fabric/port.h"
#include "net/transport/network_cases_test.h"

// Of a connection that says nothing sensible libfabric 1.17 loses some bytes.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  return "leak:libfabric.so.1";
}

namespace heddle::transport {
namespace {

// What was set before any test.
struct HandlersAtStart {
  HandlersAtStart() {
    for (int signal = 1; signal < 32; ++signal) sigaction(signal, nullptr, &actions[signal]);
  }
  const struct sigaction& operator[](int signal) const { return actions[signal]; }
  struct sigaction actions[32] = {};
};
const HandlersAtStart kAtStart;

FabricOptions on_loopback(int hosts) {
  FabricOptions options;
  options.hosts = hosts;
  options.key = 0x9E3779B97F4A7C15;
  options.source = "127.0.0.1";
  return options;
}

// A connection to the port of a channel. The names of channels are the last part of the address: tcp's are a sockaddr_in.
int connected_to(const Transport& transport, int channel) {
  const Address address = transport.address();
  sockaddr_in at = {};
  const auto after = static_cast<std::size_t>(transport.channels() - channel);
  std::memcpy(&at, address.data() + address.size() - after * sizeof at, sizeof at);
  EXPECT_EQ(at.sin_family, AF_INET);
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(::connect(made, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  return made;
}

template <bool kMultiReceive>
class FabricNet {
 public:
  FabricNet() : factory_(options()) {}
  std::vector<std::unique_ptr<Transport>> connect(const std::vector<int>& hosts, Opening opening) {
    return open_all(factory_, hosts, opening);
  }
  void cut(int host) { factory_.lose(host); }
  FabricFactory& factory() { return factory_; }

 private:
  static FabricOptions options() {
    FabricOptions options = on_loopback(8);
    options.multi_receive = kMultiReceive;
    return options;
  }
  FabricFactory factory_;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Fabric, EveryTransport, FabricNet<true>);
INSTANTIATE_TYPED_TEST_SUITE_P(FabricOfSingleBuffers, EveryTransport, FabricNet<false>);
INSTANTIATE_TYPED_TEST_SUITE_P(Fabric, EveryNetwork, FabricNet<true>);

std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Ranks that are processes have an endpoint each. ofi_rxm of 1.17 took 80 MiB for one.
TEST(Fabric, AHostTakesLessThan48MiB) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers need memory of their own";
#endif
  constexpr int kHosts = 4;
  FabricNet<true> net;
  const std::size_t before = resident_bytes();
  auto hosts = net.connect(numbered(kHosts), {});
  EXPECT_LT(resident_bytes(), before + kHosts * (std::size_t{48} << 20));
}

// A process of another job, or an older version, finds the address.
TEST(Fabric, DropsWhatMakesNoSense) {
  FabricNet<true> net;
  Recorder ignored, recorder;
  auto hosts = net.connect({0, 1}, {});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, recorder);

  FabricOptions foreign = on_loopback(8);
  foreign.key += 1;
  FabricFactory other(foreign);
  std::unique_ptr<Transport> stranger;
  ASSERT_FALSE(other.open({.host = 2}, &stranger));
  ASSERT_FALSE(stranger->connect(1, hosts[1]->address()));
  auto strangers_end = stranger->open(0, ignored);
  EXPECT_TRUE(strangers_end->try_send(1, bytes_of(5), {}));
  poll_until({strangers_end.get(), receiver.get()}, [&] { return net.factory().dropped() > 0; });

  EXPECT_TRUE(sender->try_send(1, bytes_of(1), {}));
  poll_until({sender.get(), receiver.get()}, [&] { return !recorder.got.empty(); });
  ASSERT_EQ(recorder.got.size(), 1u);
  EXPECT_EQ(recorder.got[0].number, 1);
  other.lose(1);  // it will not answer a farewell of a stranger
}

// Whatever has seen a packet of a host sends it again.
TEST(Fabric, DropsWhatHasComeAlready) {
  FabricNet<true> net;
  Recorder ignored, recorder;
  auto hosts = net.connect({0, 1}, {});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, recorder);
  EXPECT_TRUE(sender->try_send(1, bytes_of(1), {}));
  poll_until({sender.get(), receiver.get()}, [&] { return !recorder.got.empty(); });

  FabricFactory other(on_loopback(8));
  std::unique_ptr<Transport> twin;
  ASSERT_FALSE(other.open({.host = 0}, &twin));
  ASSERT_FALSE(twin->connect(1, hosts[1]->address()));
  auto twins_end = twin->open(0, ignored);
  EXPECT_TRUE(twins_end->try_send(1, bytes_of(1), {}));  // its first one, as the other's
  poll_until({twins_end.get(), receiver.get()}, [&] { return net.factory().dropped() > 0; });
  EXPECT_EQ(recorder.got.size(), 1u);
  other.lose(1);  // the farewell goes to the other
}

void send_garbage(int stranger, std::mt19937& random) {
  std::vector<char> garbage(random() % 500);
  for (char& byte : garbage) byte = static_cast<char>(random() % 3 == 0 ? random() : 0);
  EXPECT_EQ(send(stranger, garbage.data(), garbage.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(garbage.size()));
}

// Any process of the machine may connect to the ports of a job.
TEST(Fabric, GoesOnWhenStrangersSendGarbageToItsPorts) {
  constexpr int kChannels = 3;
  FabricNet<true> net;
  auto hosts = net.connect({0, 1}, {.channels = kChannels});
  std::mt19937 random(1);
  for (int channel = 0; channel < kChannels; ++channel) {
    Recorder ignored, recorder;
    auto sender = hosts[0]->open(channel, ignored), receiver = hosts[1]->open(channel, recorder);
    const std::initializer_list<Endpoint*> ends = {sender.get(), receiver.get()};
    std::vector<int> strangers;
    for (int number = 0; number < 20; ++number) {
      strangers.push_back(connected_to(*hosts[1], channel));
      send_garbage(strangers.back(), random);
      if (number % 2 == 0) {
        close(strangers.back());
        strangers.pop_back();
      }
      poll_until(ends, [&] { return sender->try_send(1, bytes_of(number), {}); });
      poll_until(ends, [&] { return recorder.got.size() > static_cast<std::size_t>(number); });
      ASSERT_EQ(recorder.got.back().number, number);
    }
    for (const int stranger : strangers) close(stranger);
    EXPECT_TRUE(recorder.lost.empty());
  }
}

// A process without the key that speaks libfabric, and sends packets of any length, also such as no host of the job sends.
class LongStranger {
 public:
  static constexpr std::size_t kLongest = 1 << 20;
  static constexpr std::size_t kEager = (16 << 10) - sizeof(WireHead);  // of ofi_rxm

  explicit LongStranger(const Transport& victim) {
    const LibfabricCall call;
    EXPECT_FALSE(Provider::open({"", "127.0.0.1", true}, &provider_));
    const WireEnd end = {.key = 1, .host = 0, .hosts = 2, .channel = 0, .packet_bytes = kLongest};
    EXPECT_FALSE(Port::open(provider_, losses_, end, kWindow, &port_));
    const Address address = victim.address();
    EXPECT_FALSE(port_->connect(1, Bytes(address).last(sizeof(sockaddr_in))));
  }
  // ofi_rxm of 1.17 itself crashes where a stranger offers packets for it to fetch, which are longer than kEager.
  bool harms_libfabric() const { return provider_.name().find("ofi_rxm") != std::string::npos; }
  // False: there is no room.
  bool send(std::size_t bytes) {
    const LibfabricCall call;
    const bool sent = port_->try_send(1, {}, Bytes(body_).first(bytes));
    port_->poll(nullptr);
    return sent;
  }

 private:
  static constexpr int kWindow = 64;
  Provider provider_;
  Losses losses_{2};
  std::unique_ptr<Port> port_;
  const std::vector<std::byte> body_ = std::vector<std::byte>(kLongest);
};

template <bool kMultiReceive>
void go_on_beside_a_stranger(const std::vector<std::size_t>& lengths, int packets) {
  FabricNet<kMultiReceive> net;
  Recorder ignored, recorder;
  auto hosts = net.connect({0, 1}, {});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, recorder);
  LongStranger stranger(*hosts[1]);
  const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
  if (longest > LongStranger::kEager && stranger.harms_libfabric()) return;
  int number = 0;
  for (int i = 0; i < packets; ++i) {
    const std::size_t bytes = lengths[static_cast<std::size_t>(i) % lengths.size()];
    poll_until({receiver.get()}, [&] { return stranger.send(bytes); });
    if (i % 16 != 0) continue;
    poll_until({sender.get()}, [&] { return sender->try_send(1, bytes_of(number), {}); });
    ++number;
    poll_until({sender.get(), receiver.get()},
               [&] { return recorder.got.size() == static_cast<std::size_t>(number); });
  }
  EXPECT_GT(net.factory().dropped(), 0u);
  EXPECT_TRUE(recorder.lost.empty());
}

// Each kind of buffer is there again, however the receive ends that a stranger has taken it for.
TEST(Fabric, GoesOnWhenStrangersSendPacketsOfAnyLength) {
  const std::size_t most = LongStranger::kLongest;
  // At the end of a buffer there is room for the longest packet, and not for these.
  std::vector<std::size_t> too_long_at_the_end(17, LongStranger::kEager);
  too_long_at_the_end[15] = 400;
  go_on_beside_a_stranger<true>(too_long_at_the_end, 3000);
  go_on_beside_a_stranger<false>(too_long_at_the_end, 300);
  go_on_beside_a_stranger<true>({1 << 16}, 3000);
  go_on_beside_a_stranger<true>({most}, 300);
  go_on_beside_a_stranger<true>({0, most, 1 << 16, 31, 16'000, 16'352, 1 << 18, 5}, 1000);
  go_on_beside_a_stranger<false>({0, most, 1 << 16, 31, 16'000, 16'352, 1 << 18, 5}, 1000);
}

// libinfinipath, which Debian's libfabric needs, sets some when it is loaded.
TEST(Fabric, LeavesTheHandlersOfSignalsAlone) {
  FabricNet<true> net;
  auto hosts = net.connect({0, 1}, {});
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGINT, SIGTERM}) {
    struct sigaction now = {};
    ASSERT_EQ(sigaction(signal, nullptr, &now), 0);
    EXPECT_EQ(now.sa_handler, kAtStart[signal].sa_handler) << signal;
  }
}

TEST(Fabric, SaysWhichProviderIsMissing) {
  FabricOptions options = on_loopback(2);
  options.provider = "no_such_provider";
  std::unique_ptr<Transport> made;
  const Error error = FabricFactory(options).open({}, &made);
  ASSERT_TRUE(error);
  EXPECT_NE(error.text().find("no_such_provider"), std::string_view::npos);
}

}  // namespace
}  // namespace heddle::transport
