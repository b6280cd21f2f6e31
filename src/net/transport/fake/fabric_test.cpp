#include "net/transport/fake/fabric.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::transport {
namespace {

struct Got {
  int channel, from;
  int number;
};

class Recorder final : public Upcall {
 public:
  void on_packet(int channel, int from_host, Bytes packet) noexcept override {
    Got& one = got.emplace_back(Got{channel, from_host, 0});
    std::memcpy(&one.number, packet.data(), sizeof one.number);
  }
  void on_lost(int, int host) noexcept override { lost.push_back(host); }
  std::vector<Got> got;
  std::vector<int> lost;
};

Bytes bytes_of(const int& number) {
  return std::as_bytes(std::span(&number, 1));
}

TEST(FakeFabric, DeliversHeadAndBodyAsOnePacket) {
  class Checker final : public Upcall {
   public:
    void on_packet(int channel, int from_host, Bytes packet) noexcept override {
      EXPECT_EQ(channel, 2);
      EXPECT_EQ(from_host, 0);
      ASSERT_EQ(packet.size(), 2 * sizeof(int));
      int both[2];
      std::memcpy(both, packet.data(), sizeof both);
      EXPECT_EQ(both[0], 17);
      EXPECT_EQ(both[1], 4);
      ++calls;
    }
    void on_lost(int, int) noexcept override { ADD_FAILURE(); }
    int calls = 0;
  } checker;
  FakeFabric fabric(2, {});
  Recorder nobody;
  auto hosts = connect_all(fabric, 2, {.channels = 3});
  auto sender = hosts[0]->open(2, nobody), receiver = hosts[1]->open(2, checker);
  EXPECT_TRUE(sender->try_send(1, bytes_of(17), bytes_of(4)));
  EXPECT_TRUE(receiver->poll());
  EXPECT_FALSE(receiver->poll());
  EXPECT_EQ(checker.calls, 1);
}

TEST(FakeFabric, RefusesWhenItsPlacesAreTaken) {
  FakeFabric fabric(2, {.places = 2});
  Recorder nobody, recorder;
  auto hosts = connect_all(fabric, 2);
  auto sender = hosts[0]->open(0, nobody), receiver = hosts[1]->open(0, recorder);
  EXPECT_TRUE(sender->try_send(1, bytes_of(1), {}));
  EXPECT_TRUE(sender->try_send(1, bytes_of(2), {}));
  EXPECT_FALSE(sender->try_send(1, bytes_of(3), {}));
  EXPECT_TRUE(receiver->poll());
  EXPECT_TRUE(sender->try_send(1, bytes_of(3), {}));
}

// Two hosts send to a third. What each has sent comes in order; whose comes first is open.
TEST(FakeFabric, ReordersOnlyWhatItMay) {
  bool overtaken = false, delayed = false, refused = false;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    FakeFabric fabric(3, Faults::from_seed(seed));
    Recorder nobody, recorder;
    auto hosts = connect_all(fabric, 3);
    std::unique_ptr<Endpoint> ends[3];
    for (std::size_t i = 0; i < 3; ++i) ends[i] = hosts[i]->open(0, i == 2 ? recorder : nobody);
    for (int number = 0; number < 100; ++number) {
      for (int host : {0, 1}) {
        while (!ends[host]->try_send(2, bytes_of(number), {})) {
          refused = true;
          ends[2]->poll();
        }
      }
    }
    for (std::size_t before = recorder.got.size(); ends[2]->poll(); before = recorder.got.size()) {
      delayed |= before == recorder.got.size();
    }
    ASSERT_EQ(recorder.got.size(), 200u);
    int next[2] = {0, 0};
    for (const Got& got : recorder.got) {
      ASSERT_EQ(got.number, next[got.from]++) << "seed " << seed;
      overtaken |= next[1] > next[0];
    }
  }
  EXPECT_TRUE(overtaken);
  EXPECT_TRUE(delayed);
  EXPECT_TRUE(refused);
}

// Hosts 7 and 4 of a job: their ports are 0 and 1.
TEST(FakeFabric, LeadsToTheHostsOfItsAddresses) {
  FakeFabric fabric(2, {});
  Recorder nobody, recorder;
  auto hosts = connect_all(fabric, {7, 4});
  auto sender = hosts[0]->open(0, nobody), receiver = hosts[1]->open(0, recorder);
  EXPECT_TRUE(sender->try_send(4, bytes_of(1), {}));
  EXPECT_TRUE(receiver->poll());
  ASSERT_EQ(recorder.got.size(), 1u);
  EXPECT_EQ(recorder.got[0].from, 7);
}

TEST(FakeFabric, RefusesAddressesOfNobody) {
  FakeFabric fabric(2, {});
  auto hosts = connect_all(fabric, 2);
  EXPECT_TRUE(hosts[0]->connect(1, {}));
  EXPECT_TRUE(hosts[0]->connect(1, bytes_of(2)));
  EXPECT_TRUE(hosts[0]->connect(1, bytes_of(-1)));
  EXPECT_TRUE(hosts[0]->connect(1, hosts[0]->address()));
}

TEST(FakeFabric, TellsOnceOfALostHostAndDropsItsPackets) {
  FakeFabric fabric(3, {});
  Recorder recorders[3];
  auto hosts = connect_all(fabric, 3);
  std::unique_ptr<Endpoint> ends[3];
  for (std::size_t i = 0; i < 3; ++i) ends[i] = hosts[i]->open(0, recorders[i]);
  EXPECT_TRUE(ends[1]->try_send(0, bytes_of(1), {}));
  EXPECT_TRUE(ends[2]->try_send(0, bytes_of(2), {}));
  fabric.cut(1);
  EXPECT_TRUE(ends[1]->try_send(0, bytes_of(3), {}));
  EXPECT_TRUE(ends[0]->try_send(1, bytes_of(4), {}));
  for (auto& end : ends) {
    while (end->poll()) {
    }
  }
  EXPECT_EQ(recorders[0].lost, (std::vector<int>{1}));
  EXPECT_EQ(recorders[1].lost, (std::vector<int>{0, 2}));
  EXPECT_EQ(recorders[2].lost, (std::vector<int>{1}));
  ASSERT_EQ(recorders[0].got.size(), 1u);
  EXPECT_EQ(recorders[0].got[0].number, 2);
  EXPECT_TRUE(recorders[1].got.empty());
}

TEST(FakeFabric, AHostThatEndsIsNotLost) {
  FakeFabric fabric(2, {.places = 2});
  Recorder nobody, recorder;
  auto hosts = connect_all(fabric, 2);
  auto stays = hosts[0]->open(0, recorder), ends = hosts[1]->open(0, nobody);
  EXPECT_TRUE(ends->try_send(0, bytes_of(1), {}));
  ends = nullptr;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(stays->try_send(1, bytes_of(2), {}));
  while (stays->poll()) {
  }
  ASSERT_EQ(recorder.got.size(), 1u);
  EXPECT_EQ(recorder.got[0].number, 1);
  EXPECT_TRUE(recorder.lost.empty());
}

TEST(FakeFabric, TheSameSeedGivesTheSameFaults) {
  const Faults a = Faults::from_seed(7), b = Faults::from_seed(7), none = Faults::from_seed(0);
  EXPECT_EQ(a.longest_delay, b.longest_delay);
  EXPECT_EQ(a.places, b.places);
  EXPECT_EQ(none.longest_delay, 0);
  EXPECT_EQ(none.refused_in, 0);
}

}  // namespace
}  // namespace heddle::transport
