#include "net/channel/channel.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "exec/ult/completion.h"
#include "net/channel/channels.h"

namespace heddle::channel {
namespace {

// A network that is full when the test says so, and does something while it is polled.
class Network final : public transport::Transport {
 public:
  std::atomic<bool> full{false};
  std::atomic<int> accepted{0};
  std::function<void()> during_poll;  // once

  explicit Network(bool tells_of_room = false) : Transport({}), tells_of_room_(tells_of_room) {}
  transport::Traits traits() const noexcept override {
    return {.packet_bytes = 64, .tells_of_room = tells_of_room_};
  }
  transport::Address address() const override { return {}; }
  Error connect(int, transport::Bytes) override { return {}; }
  std::unique_ptr<transport::Endpoint> open(int, transport::Upcall&) override {
    return std::make_unique<End>(*this);
  }

 private:
  class End final : public transport::Endpoint {
   public:
    explicit End(Network& network) noexcept : network_(network) {}
    bool try_send(int, transport::Bytes, transport::Bytes) noexcept override {
      if (network_.full) return false;
      ++network_.accepted;
      return true;
    }
    bool poll() noexcept override {
      if (auto now = std::exchange(network_.during_poll, nullptr)) now();
      return false;
    }

   private:
    Network& network_;
  };

  const bool tells_of_room_;
};

class Unused final : public transport::Upcall {
 public:
  void on_packet(int, int, transport::Bytes) noexcept override {}
  void on_lost(int, int) noexcept override {}
};

// Registered after the channels, it is asked after them.
class LastLook final : public ult::Poller {
 public:
  std::atomic<bool> taken{false};
  bool poll(int, ult::PollEffort effort) noexcept override {
    if (effort == ult::PollEffort::kThorough) taken = true;
    return false;
  }
};

// A thread looks in passing and does not come back. One that finds the channel locked by it goes to
// sleep: it has left a note.
TEST(Channel, IsNotLeftToSleepersWhoCountedOnAPasserby) {
  Network network;
  Unused unused;
  Channels channels(network, unused);
  channels.start_polling();
  LastLook last_look;
  ult::add_poller(last_look);
  network.full = true;
  const std::byte head[8] = {};
  ASSERT_TRUE(channels.send(0, 1, head));

  ult::Completion end;
  std::thread sleeper;
  network.during_poll = [&] {
    sleeper = std::thread([&] { end.wait(); });
    while (!last_look.taken) sched_yield();
  };
  EXPECT_TRUE(channels.poll(-1, ult::PollEffort::kPassing));
  network.full = false;
  while (network.accepted == 0) sched_yield();  // by the sleeper, or never
  end.set();
  sleeper.join();
  ult::remove_poller(last_look);
  channels.stop_polling();
}

// A thread that polls thoroughly and is told that nothing is to be done goes to sleep; here after a moment.
TEST(Channel, LetsThreadsSleepThatWaitForRoomIfTheyAreToldOfIt) {
  for (const bool tells_of_room : {false, true}) {
    Network network(tells_of_room);
    Unused unused;
    Channels channels(network, unused);
    network.full = true;
    const std::byte head[8] = {};
    ASSERT_TRUE(channels.send(0, 1, head));
    ASSERT_TRUE(channels.send(0, 2, head));
    if (tells_of_room) {
      while (channels.poll(-1, ult::PollEffort::kThorough)) {
      }
    } else {
      EXPECT_TRUE(channels.poll(-1, ult::PollEffort::kThorough));
    }
    EXPECT_TRUE(channels.busy()) << "packets wait";
    network.full = false;
    EXPECT_TRUE(channels.poll(-1, ult::PollEffort::kThorough));
    EXPECT_EQ(network.accepted, 2);
    EXPECT_FALSE(channels.poll(-1, ult::PollEffort::kThorough));
    EXPECT_FALSE(channels.busy());
  }
}

}  // namespace
}  // namespace heddle::channel
