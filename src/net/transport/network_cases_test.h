// network_cases_test.h — what every network between nodes must do beyond cases_test.h, as tests. A network's test instantiates them with a Net as
// for cases_test.h.
//
// Thread safety: one thread.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "net/transport/cases_test.h"
#include "net/transport/test_support.h"

namespace heddle::transport {

template <class Net>
class EveryNetwork : public ::testing::Test {};
TYPED_TEST_SUITE_P(EveryNetwork);

// A receiver that does not poll costs the window, not more.
TYPED_TEST_P(EveryNetwork, AReceiverThatDoesNotPollStopsItsSenderOnly) {
  constexpr int kMost = 100'000;
  TypeParam net;
  Recorder ignored, recorders[2];
  auto hosts = net.connect(numbered(3), {});
  auto sender = hosts[0]->open(0, ignored);
  auto idle = hosts[1]->open(0, recorders[0]), busy = hosts[2]->open(0, recorders[1]);
  const std::vector<std::byte> body(hosts[0]->traits().packet_bytes - sizeof(int));
  int sent = 0;
  // Its queue is full when many looks at the sender alone bring no room.
  for (int looks = 0; looks < 1000 && sent < kMost; ++looks) {
    while (sender->try_send(1, bytes_of(sent), body)) {
      ++sent;
      looks = 0;
    }
    sender->poll();
  }
  EXPECT_LT(sent, kMost);
  for (int i = 0; i < 100; ++i) {
    poll_until({sender.get(), busy.get()}, [&] { return sender->try_send(2, bytes_of(i), {}); });
  }
  poll_until({sender.get(), busy.get()}, [&] { return recorders[1].got.size() == 100; });
  poll_until({sender.get(), idle.get()},
             [&] { return recorders[0].got.size() == static_cast<std::size_t>(sent); });
  for (int i = 0; i < sent; ++i) ASSERT_EQ(recorders[0].got[static_cast<std::size_t>(i)].number, i);
}

inline std::atomic<int> wakes{0};

// Both ends sleep whenever their poll has nothing to do; the watcher alone wakes them.
TYPED_TEST_P(EveryNetwork, WakesSleepersForPacketsAndForRoom) {
  constexpr int kPackets = 3000;
  TypeParam net;
  Recorder ignored, recorder;
  auto hosts = net.connect({0, 1}, {.wake = []() noexcept {
                             wakes.fetch_add(1);
                             wakes.notify_all();
                           }});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, recorder);
  const auto sleep_once = [](Endpoint& end) {
    const int seen = wakes.load();
    if (!end.poll()) wakes.wait(seen);
  };
  std::atomic<bool> all_came{false};
  std::thread thread([&] {
    const std::vector<std::byte> body(8000);
    for (int number = 0; number < kPackets; ++number) {
      while (!sender->try_send(1, bytes_of(number), body)) sleep_once(*sender);
    }
    while (!all_came) sleep_once(*sender);
  });
  while (recorder.got.size() < kPackets) sleep_once(*receiver);
  all_came = true;
  wakes.fetch_add(1);
  wakes.notify_all();
  thread.join();
  for (int i = 0; i < kPackets; ++i) ASSERT_EQ(recorder.got[static_cast<std::size_t>(i)].number, i);
}

// A thread sleeps, another one looks, finds a packet and looks no more. libfabric may have read ahead then, so the first one is
// woken until it has looked. The sender looks after each wake-up, so these are not its own.
TYPED_TEST_P(EveryNetwork, WakesASleeperWhereAnotherThreadHasUsedThePort) {
  constexpr int kWakes = 10;
  TypeParam net;
  Recorder unused, recorder;
  auto hosts = net.connect({0, 1}, {.wake = []() noexcept {
                             wakes.fetch_add(1);
                             wakes.notify_all();
                           }});
  auto sender = hosts[0]->open(0, unused), receiver = hosts[1]->open(0, recorder);
  for (int number = 0; number < 2; ++number) {
    while (!sender->try_send(1, bytes_of(number), {})) sender->poll();
    while (recorder.got.size() < static_cast<std::size_t>(number) + 1) {
      sender->poll();
      receiver->poll();
    }
    while (number == 0 && receiver->poll()) {  // until a thread may sleep
    }
  }
  for (int i = 0; i < kWakes; ++i) {
    const int seen = wakes.load();
    while (sender->poll()) {
    }
    wakes.wait(seen);
  }
}

TYPED_TEST_P(EveryNetwork, ManyChannelsHaveOneAddress) {
  TypeParam net;
  Recorder ignored, recorder;
  auto hosts = net.connect({0, 1}, {.channels = 4});
  EXPECT_LE(hosts[0]->address().size(), 1024u);
  for (int channel = 3; channel >= 0; --channel) {
    auto sender = hosts[0]->open(channel, ignored), receiver = hosts[1]->open(channel, recorder);
    EXPECT_TRUE(sender->try_send(1, bytes_of(channel), {}));
    poll_until({sender.get(), receiver.get()},
               [&] { return recorder.got.size() == static_cast<std::size_t>(4 - channel); });
    EXPECT_EQ(recorder.got.back().channel, channel);
    EXPECT_EQ(recorder.got.back().number, channel);
  }
}

REGISTER_TYPED_TEST_SUITE_P(EveryNetwork, AReceiverThatDoesNotPollStopsItsSenderOnly,
                            WakesSleepersForPacketsAndForRoom,
                            WakesASleeperWhereAnotherThreadHasUsedThePort,
                            ManyChannelsHaveOneAddress);

}  // namespace heddle::transport
