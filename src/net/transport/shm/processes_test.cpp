// Hosts that are processes: each test forks them, and they share nothing but the memory.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/platform/shared_file.h"
#include "net/transport/shm/shm.h"
#include "net/transport/test_support.h"

namespace heddle::transport {
namespace {

// A host in a process of its own: what it needs to talk.
class Host {
 public:
  Host(int memory, int number, int hosts) : factory_(memory, hosts, Sleepers::kAtBells) {
    if (factory_.open({.host = number}, &transport_)) _exit(90);
    for (int other = 0; other < hosts; ++other) {
      if (other == number) continue;
      if (transport_->connect(other, factory_.address_of(other))) _exit(91);
    }
    endpoint_ = transport_->open(0, recorder_);
    bell_ = &factory_.segment().bell(number);
  }

  void send(int to, int number) {
    bool sent = false;
    const auto attempt = [&] { return sent = endpoint_->try_send(to, bytes_of(number), {}); };
    while (!sent && !attempt()) wait(attempt);
  }
  // As a thread of the library does: looks, announces that it sleeps, looks again, sleeps.
  void wait(const std::function<bool()>& attempt = [] { return false; }) {
    if (endpoint_->poll()) return;
    const std::uint32_t rings = bell_->begin();
    if (!attempt() && !endpoint_->poll()) {
      ++sleeps_;
      bell_->sleep(rings, platform::kNever);
    }
    bell_->end();
  }
  bool poll() { return endpoint_->poll(); }
  int sleeps() const { return sleeps_; }
  void wait_for(std::size_t packets) {
    while (recorder_.got.size() < packets) wait();
  }
  void wait_for_loss() {
    while (recorder_.lost.empty()) wait();
  }
  const Recorder& recorder() const { return recorder_; }
  Segment& segment() { return factory_.segment(); }

 private:
  ShmFactory factory_;
  Recorder recorder_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Endpoint> endpoint_;
  platform::Bell* bell_ = nullptr;
  int sleeps_ = 0;
};

// All hosts send to all others at once; the processes sleep whenever they wait.
TEST(ShmProcesses, EachHearsAllOthersInOrder) {
  constexpr int kHosts = 5, kPackets = 2000;
  const int memory = platform::make_shared_file();
  std::vector<pid_t> children;
  for (int number = 0; number < kHosts; ++number) {
    children.push_back(start([=] {
      Host host(memory, number, kHosts);
      for (int i = 0; i < kPackets; ++i) {
        for (int to = 0; to < kHosts; ++to) {
          if (to != number) host.send(to, i);
        }
      }
      host.wait_for(kPackets * (kHosts - 1));
      std::vector<int> next(kHosts, 0);
      return std::all_of(host.recorder().got.begin(), host.recorder().got.end(),
                         [&](const Recorder::Got& got) {
                           return got.number == next[static_cast<std::size_t>(got.from)]++;
                         });
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  ::close(memory);
}

// What a host has sent before it ends arrives, and the one that comes last need not have been there.
TEST(ShmProcesses, PacketsWaitForAHostThatComesLater) {
  const int memory = platform::make_shared_file();
  EXPECT_EQ(status_of(start([=] {
              Host first(memory, 0, 2);
              first.send(1, 17);
              return true;
            })),
            0);
  Host later(memory, 1, 2);
  later.wait_for(1);
  EXPECT_EQ(later.recorder().got[0].number, 17);
  EXPECT_TRUE(later.recorder().lost.empty());
  ::close(memory);
}

// It sleeps once for each time that it is told of room, and so does not try again and again.
TEST(ShmProcesses, ASenderWithoutRoomSleepsUntilItIsToldOfSome) {
  constexpr int kPackets = 20 * static_cast<int>(Ring::kCells);
  const int memory = platform::make_shared_file();
  const pid_t sender = start([=] {
    Host host(memory, 0, 2);
    for (int i = 0; i < kPackets; ++i) host.send(1, i);
    host.send(1, host.sleeps());
    return true;
  });
  Host receiver(memory, 1, 2);
  while (receiver.segment().ring(1, 0, 0).wants_room == 0) sched_yield();
  int looks = 0;
  while (receiver.recorder().got.size() <= kPackets) {
    if (receiver.poll()) {
      ++looks;
    } else {
      sched_yield();
    }
  }
  EXPECT_EQ(status_of(sender), 0);
  const int sleeps = receiver.recorder().got.back().number;
  EXPECT_GT(sleeps, 0);
  EXPECT_LE(sleeps, looks);
  ::close(memory);
}

TEST(ShmProcesses, AKilledHostIsToldToOneThatSleeps) {
  const int memory = platform::make_shared_file();
  const pid_t killed = start([=]() -> bool {
    Host host(memory, 0, 2);
    for (;;) host.wait();
  });
  const pid_t told = start([=] {
    Host host(memory, 1, 2);
    host.wait_for_loss();
    return host.recorder().lost == std::vector<int>{0};
  });
  kill(killed, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(status_of(killed)));
  std::shared_ptr<Segment> of_launcher;
  ASSERT_FALSE(Segment::open(memory, {2, 1}, &of_launcher));
  of_launcher->lose(0);
  EXPECT_EQ(status_of(told), 0);
  ::close(memory);
}

}  // namespace
}  // namespace heddle::transport
