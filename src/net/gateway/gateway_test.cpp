#include "net/gateway/gateway.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "exec/ult/strand.h"
#include "net/transport/fake/fabric.h"

namespace heddle::gateway {
namespace {

using transport::Bytes;

constexpr int kMe = 0, kPeer = 1, kChannels = 2;
constexpr PacketKind kFirst = kind_of(Module::kMessages, 1), kLast = kind_of(Module::kMessages, 15);

std::vector<std::byte> packet_of(PacketKind kind, int value = 0) {
  return {std::byte{kind}, static_cast<std::byte>(value)};
}

struct Seen {
  PacketKind kind;
  int channel, host, value;
  bool operator==(const Seen&) const = default;
};

// Takes two kinds. A packet with the value 0 makes no sense.
class Messages final : public Receiver {
 public:
  static constexpr Module kModule = Module::kMessages;

  Messages(Gateway& gateway, std::vector<Seen>& seen) : seen_(seen) {
    gateway.receive<&Messages::on_first>(kFirst, *this);
    gateway.receive<&Messages::on_last>(kLast, *this);
  }
  void on_lost(int host) noexcept override { seen_.push_back({0, -1, host, 0}); }

 private:
  bool on_first(const Arrival& arrival) noexcept { return note(kFirst, arrival); }
  bool on_last(const Arrival& arrival) noexcept { return note(kLast, arrival); }
  bool note(PacketKind kind, const Arrival& arrival) noexcept {
    const int value = arrival.packet.size() < 2 ? 0 : static_cast<int>(arrival.packet[1]);
    if (value != 0) seen_.push_back({kind, arrival.channel, arrival.host, value});
    return value != 0;
  }

  std::vector<Seen>& seen_;
};

class GatewayTest : public ::testing::Test {
 protected:
  GatewayTest() : transports_(transport::connect_all(fabric_, 2, {.channels = kChannels})) {
    gateway_ = std::make_unique<Gateway>(transport::routes_by(std::move(transports_[kMe]), 2));
    gateway_->add(std::make_unique<Messages>(*gateway_, seen_));
  }

  std::vector<Seen> seen_;
  transport::FakeFabric fabric_{2, {}};
  std::vector<std::unique_ptr<transport::Transport>> transports_;
  std::unique_ptr<Gateway> gateway_;
};

TEST_F(GatewayTest, APacketGoesToTheFunctionOfItsKind) {
  gateway_->on_packet(1, kPeer, packet_of(kLast, 7));
  gateway_->on_packet(0, kPeer, packet_of(kFirst, 8));
  EXPECT_EQ(seen_, (std::vector<Seen>{{kLast, 1, kPeer, 7}, {kFirst, 0, kPeer, 8}}));
  EXPECT_EQ(gateway_->dropped_packets(), 0);
}

TEST_F(GatewayTest, AKindThatNoModuleReceivesIsDroppedAndCounted) {
  int unknown = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (kind == kFirst || kind == kLast) continue;
    gateway_->on_packet(0, kPeer, packet_of(static_cast<PacketKind>(kind), 7));
    EXPECT_EQ(gateway_->dropped_packets(), ++unknown);
  }
  EXPECT_TRUE(seen_.empty());
}

TEST_F(GatewayTest, WhatMakesNoSenseIsDroppedAndCounted) {
  const std::vector<std::byte> good = packet_of(kFirst, 7);
  gateway_->on_packet(0, kPeer, {});
  gateway_->on_packet(0, kPeer, packet_of(kFirst, 0));
  for (const int host : {-1, kMe, 2}) gateway_->on_packet(0, host, good);
  for (const int channel : {-1, kChannels}) gateway_->on_packet(channel, kPeer, good);
  EXPECT_EQ(gateway_->dropped_packets(), 7);
  EXPECT_TRUE(seen_.empty());
}

TEST_F(GatewayTest, EachReceiverIsToldOfALostHost) {
  gateway_->on_lost(0, kPeer);
  EXPECT_EQ(seen_, (std::vector<Seen>{{0, -1, kPeer, 0}}));
}

class Deaf final : public transport::Upcall {
  void on_packet(int, int, Bytes) noexcept override {}
  void on_lost(int, int) noexcept override {}
};

TEST_F(GatewayTest, PacketsAreDeliveredFromOpeningOn) {
  Deaf deaf;
  auto peer = transports_[kPeer]->open(1, deaf);
  const std::vector<std::byte> packet = packet_of(kFirst, 9);
  ASSERT_TRUE(peer->try_send(kMe, packet, {}));
  for (int i = 0; i < 10; ++i) ult::relax();
  EXPECT_TRUE(seen_.empty());
  gateway_->open();
  while (seen_.empty()) ult::relax();
  EXPECT_EQ(seen_, (std::vector<Seen>{{kFirst, 1, kPeer, 9}}));
}

}  // namespace
}  // namespace heddle::gateway
