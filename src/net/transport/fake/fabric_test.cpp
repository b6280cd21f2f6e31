#include "net/transport/fake/fabric.h"

#include <gtest/gtest.h>

#include "net/transport/cases_test.h"

namespace heddle::transport {
namespace {

struct FakeNet {
  std::vector<std::unique_ptr<Transport>> connect(const std::vector<int>& hosts, Opening opening) {
    return connect_all(fabric, hosts, opening);
  }
  void cut(int host) { fabric.cut(host); }
  FakeFabric fabric{8, {.read_bytes = 100, .lands = true}};
};
INSTANTIATE_TYPED_TEST_SUITE_P(Fake, EveryTransport, FakeNet);

// Two hosts send to a third. What each has sent comes in order; whose comes first is open.
TEST(FakeFabric, ReordersOnlyWhatItMay) {
  bool overtaken = false, delayed = false, refused = false;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    FakeFabric fabric(3, Faults::from_seed(seed));
    Recorder ignored, recorder;
    auto hosts = connect_all(fabric, 3);
    std::unique_ptr<Endpoint> ends[3];
    for (std::size_t i = 0; i < 3; ++i) ends[i] = hosts[i]->open(0, i == 2 ? recorder : ignored);
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
    for (const Recorder::Got& got : recorder.got) {
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
