#include "net/transport/fabric/wire.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::transport {
namespace {

constexpr WireEnd kEnd = {.key = 99, .host = 1, .hosts = 4, .channel = 2, .packet_bytes = 1000};

WireHead good() {
  WireHead head;
  head.key = 99;
  head.bytes = 100;
  head.from = 3;
  head.to = 1;
  head.channel = 2;
  return head;
}

std::vector<std::byte> packet_of(const WireHead& head) {
  std::vector<std::byte> packet(wire_bytes(head.bytes));
  std::memcpy(packet.data(), &head, sizeof head);
  return packet;
}

bool accepts(const WireHead& head) {
  WireHead read;
  return read_head(packet_of(head), kEnd, &read);
}

TEST(Wire, ReadsWhatWasWritten) {
  WireHead head = good(), read;
  head.number = 12345;
  ASSERT_TRUE(read_head(packet_of(head), kEnd, &read));
  EXPECT_EQ(read.number, 12345u);
  EXPECT_EQ(read.bytes, 100u);
  EXPECT_EQ(read.from, 3);
}

TEST(Wire, RefusesAHeadWithOneWrongField) {
  EXPECT_TRUE(accepts(good()));
  const auto refuses = [](auto change) {
    WireHead head = good();
    change(head);
    return !accepts(head);
  };
  EXPECT_TRUE(refuses([](WireHead& head) { head.key ^= 1; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.version = 2; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.from = 4; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.from = -1; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.from = 1; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.to = 0; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.channel = 0; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.bytes = 1001; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.kind = WireKind::kFarewell; }));
  EXPECT_TRUE(refuses([](WireHead& head) { head.kind = static_cast<WireKind>(2); }));
}

TEST(Wire, RefusesAnotherLengthThanTheHeadSays) {
  std::vector<std::byte> packet = packet_of(good());
  WireHead read;
  for (std::size_t bytes = 0; bytes < packet.size(); ++bytes) {
    EXPECT_FALSE(read_head(Bytes(packet).first(bytes), kEnd, &read)) << bytes;
  }
  packet.resize(packet.size() + kWireAlignment);
  EXPECT_FALSE(read_head(packet, kEnd, &read));
}

TEST(Wire, ASendersPacketsAreTakenOnceAndInOrderUntilItsFarewell) {
  const auto packet = [](std::uint64_t number, WireKind kind = WireKind::kPacket) {
    WireHead head;
    head.number = number;
    head.kind = kind;
    return head;
  };
  WireSequence sequence;
  EXPECT_EQ(sequence.take(packet(0)), WireArrival::kDeliver);
  EXPECT_EQ(sequence.take(packet(0)), WireArrival::kDrop);
  EXPECT_EQ(sequence.take(packet(2)), WireArrival::kGap);
  EXPECT_EQ(sequence.take(packet(1)), WireArrival::kDeliver);
  EXPECT_EQ(sequence.take(packet(2, WireKind::kFarewell)), WireArrival::kFarewell);
  EXPECT_EQ(sequence.take(packet(3)), WireArrival::kDrop);
  EXPECT_EQ(sequence.take(packet(3, WireKind::kFarewell)), WireArrival::kDrop);
}

// Whatever comes, nothing outside of it is read, and what is accepted lies inside.
TEST(Wire, GarbageIsRefusedOrWhole) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100'000; ++round) {
    std::vector<std::byte> packet(random() % 200);
    for (std::byte& byte : packet) byte = static_cast<std::byte>(random());
    if (packet.size() >= sizeof(WireHead) && round % 2 == 0) {
      WireHead head = good();
      head.bytes = static_cast<std::uint32_t>(random() % 300);
      std::memcpy(packet.data(), &head, sizeof head);
    }
    WireHead read;
    if (read_head(packet, kEnd, &read)) {
      EXPECT_LE(sizeof read + read.bytes, packet.size());
    }
  }
}

}  // namespace
}  // namespace heddle::transport
