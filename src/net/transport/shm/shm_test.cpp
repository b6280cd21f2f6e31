#include "net/transport/shm/shm.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/platform/shared_file.h"
#include "net/transport/cases_test.h"

namespace heddle::transport {
namespace {

// Hosts that this process pretends to have.
class ShmNet {
 public:
  ~ShmNet() { ::close(memory_); }
  std::vector<std::unique_ptr<Transport>> connect(const std::vector<int>& hosts, Opening opening) {
    return open_all(factory_, hosts, opening);
  }
  void cut(int host) { factory_.segment().lose(host); }
  Segment& segment() { return factory_.segment(); }
  int memory() const { return memory_; }

 private:
  const int memory_ = platform::make_shared_file();
  ShmFactory factory_{memory_, 8, Sleepers::kHere};
};
INSTANTIATE_TYPED_TEST_SUITE_P(Shm, EveryTransport, ShmNet);

std::atomic<int> wakes{0};

TEST(Shm, WakesAfterAPacketHasComeAndAfterRoomHas) {
  ShmNet net;
  Recorder unused;
  auto hosts = net.connect({0, 1}, {.wake = []() noexcept { ++wakes; }});
  auto sender = hosts[0]->open(0, unused), receiver = hosts[1]->open(0, unused);
  wakes = 0;
  EXPECT_TRUE(sender->try_send(1, bytes_of(1), {}));
  EXPECT_EQ(wakes, 1);
  EXPECT_TRUE(receiver->poll());
  EXPECT_EQ(wakes, 1) << "no sender waits for room";
  while (sender->try_send(1, bytes_of(2), {})) {
  }
  wakes = 0;
  EXPECT_TRUE(receiver->poll());
  EXPECT_EQ(wakes, 1);
}

// T11.
TEST(Shm, WakesAHostWithoutAPacket) {
  ShmNet net;
  auto hosts = net.connect({0, 1}, {.wake = []() noexcept { ++wakes; }});
  EXPECT_TRUE(hosts[0]->traits().wakes_hosts);
  wakes = 0;
  hosts[0]->wake_host(1);
  EXPECT_EQ(wakes, 1);
}

TEST(Shm, WakesAWriterThatWaitsForRoomOfAHostThatEnds) {
  ShmNet net;
  Recorder unused;
  auto hosts = net.connect({0, 1}, {.wake = []() noexcept { ++wakes; }});
  auto sender = hosts[0]->open(0, unused), receiver = hosts[1]->open(0, unused);
  while (sender->try_send(1, bytes_of(1), {})) {
  }
  wakes = 0;
  receiver = nullptr;
  EXPECT_EQ(wakes, 1);
  EXPECT_TRUE(sender->try_send(1, bytes_of(2), {}));
}

// A long body begins at a line, whatever its head; copies are fastest so.
TEST(Shm, LongBodiesBeginAtALine) {
  static constexpr std::size_t kHead = 24;
  class Checker final : public Upcall {
   public:
    void on_packet(int, int, Bytes packet) noexcept override {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(packet.data() + kHead) % kLine, 0u);
      ++calls;
    }
    void on_lost(int, int) noexcept override { ADD_FAILURE(); }
    int calls = 0;
  } checker;
  ShmNet net;
  Recorder unused;
  auto hosts = net.connect({0, 1}, {});
  auto sender = hosts[0]->open(0, unused), receiver = hosts[1]->open(0, checker);
  const std::vector<std::byte> head(kHead), body(1000);
  for (int i = 0; i < 1000; ++i) {  // around the end of the data, too
    EXPECT_TRUE(sender->try_send(1, head, body));
    poll_all_of(*receiver);
  }
  EXPECT_EQ(checker.calls, 1000);
}

TEST(Shm, MemoryHasModeAndSizeThatOthersCannotChange) {
  ShmNet net;
  auto hosts = net.connect({0, 1}, {});
  struct stat file = {};
  ASSERT_EQ(fstat(net.memory(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  EXPECT_NE(ftruncate(net.memory(), 0), 0);
}

// 64 hosts have address space for 4096 rings; two that talk take a few pages.
TEST(Shm, OnlyPairsThatTalkTakeMemory) {
  const int memory = platform::make_shared_file();
  ShmFactory factory(memory, 64, Sleepers::kHere);
  Recorder unused;
  std::vector<std::unique_ptr<Transport>> hosts(2);
  EXPECT_FALSE(factory.open({.host = 0}, &hosts[0]));
  EXPECT_FALSE(factory.open({.host = 1}, &hosts[1]));
  auto a = hosts[0]->open(0, unused), b = hosts[1]->open(0, unused);
  EXPECT_TRUE(a->try_send(1, bytes_of(1), {}));
  poll_all_of(*a);
  poll_all_of(*b);
  struct stat file = {};
  ASSERT_EQ(fstat(memory, &file), 0);
  EXPECT_GT(file.st_size, 100 << 20);
  EXPECT_LE(file.st_blocks * 512, 16 * 4096);
  ::close(memory);
}

TEST(Shm, MemoryOfAnotherShapeIsRefused) {
  const int memory = platform::make_shared_file();
  std::shared_ptr<Segment> first, second;
  EXPECT_FALSE(Segment::open(memory, {2, 1}, &first));
  EXPECT_TRUE(Segment::open(memory, {3, 1}, &second));
  EXPECT_FALSE(Segment::open(memory, {2, 1}, &second));
  EXPECT_EQ(first->mark(), second->mark());
  EXPECT_TRUE(Segment::open(-1, {2, 1}, &second));
  ::close(memory);
}

// A writer that breaks the rules counts as lost; nothing outside of the ring is read.
TEST(Shm, NonsenseInARingLosesItsWriter) {
  ShmNet net;
  Recorder recorder;
  auto hosts = net.connect({0, 1}, {});
  auto sender = hosts[0]->open(0, recorder), receiver = hosts[1]->open(0, recorder);
  EXPECT_TRUE(sender->try_send(1, bytes_of(1), {}));
  net.segment().ring(1, 0, 0).cells[0].at = 0xfffe;
  poll_all_of(*receiver);
  EXPECT_TRUE(recorder.got.empty());
  EXPECT_EQ(recorder.lost, std::vector<int>{0});
}

// Two threads, one at each end; what comes is what was sent, in order.
TEST(Shm, PacketsOfAThreadReachAnother) {
  constexpr int kPackets = 20'000;
  ShmNet net;
  Recorder unused, recorder;
  auto hosts = net.connect({0, 1}, {});
  auto sender = hosts[0]->open(0, unused), receiver = hosts[1]->open(0, recorder);
  const std::vector<std::byte> body(2000);
  std::thread thread([&] {
    for (int number = 0; number < kPackets; ++number) {
      const auto length = static_cast<std::size_t>(number % 3) * 900;
      while (!sender->try_send(1, bytes_of(number), Bytes(body).first(length))) {
        std::this_thread::yield();
      }
    }
  });
  while (recorder.got.size() < kPackets) {
    if (!receiver->poll()) std::this_thread::yield();
  }
  thread.join();
  for (int number = 0; number < kPackets; ++number) {
    const Recorder::Got& got = recorder.got[static_cast<std::size_t>(number)];
    ASSERT_EQ(got.number, number);
    ASSERT_EQ(got.bytes, sizeof number + static_cast<std::size_t>(number % 3) * 900);
  }
}

}  // namespace
}  // namespace heddle::transport
