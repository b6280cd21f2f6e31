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
  std::vector<Got> got;
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
    int calls = 0;
  } checker;
  FakeFabric fabric(2, 3, {});
  Recorder nobody;
  auto from = fabric.attach(0), to = fabric.attach(1);
  auto sender = from->open(2, nobody), receiver = to->open(2, checker);
  EXPECT_TRUE(sender->try_send(1, bytes_of(17), bytes_of(4)));
  EXPECT_TRUE(receiver->poll());
  EXPECT_FALSE(receiver->poll());
  EXPECT_EQ(checker.calls, 1);
}

TEST(FakeFabric, RefusesWhenItsPlacesAreTaken) {
  FakeFabric fabric(2, 1, {.places = 2});
  Recorder nobody, recorder;
  auto from = fabric.attach(0), to = fabric.attach(1);
  auto sender = from->open(0, nobody), receiver = to->open(0, recorder);
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
    FakeFabric fabric(3, 1, Faults::from_seed(seed));
    Recorder nobody, recorder;
    std::unique_ptr<Transport> hosts[3];
    std::unique_ptr<Endpoint> ends[3];
    for (int i = 0; i < 3; ++i) {
      hosts[i] = fabric.attach(i);
      ends[i] = hosts[i]->open(0, i == 2 ? recorder : nobody);
    }
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

TEST(FakeFabric, TheSameSeedGivesTheSameFaults) {
  const Faults a = Faults::from_seed(7), b = Faults::from_seed(7), none = Faults::from_seed(0);
  EXPECT_EQ(a.longest_delay, b.longest_delay);
  EXPECT_EQ(a.places, b.places);
  EXPECT_EQ(none.longest_delay, 0);
  EXPECT_EQ(none.refused_in, 0);
}

}  // namespace
}  // namespace heddle::transport
