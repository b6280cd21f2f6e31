// Large messages over a network by which a host reads the memory of another one.
#include "mpi/p2p/remote/remote_read.h"

#include <numeric>
#include <vector>

#include "mpi/p2p/remote/two_hosts_test.h"

namespace heddle::p2p {
namespace {

constexpr int kValues = 1000;
constexpr MPI_Count kBytes = kValues * static_cast<MPI_Count>(sizeof(int));

class Arrived final : public transport::Reader {
 public:
  void came(std::size_t bytes) noexcept override { total += bytes; }
  std::size_t total = 0;
};

class RemoteReadTest : public ExchangeTest {
 protected:
  static constexpr std::size_t kPiece = 1024;
  RemoteReadTest() : ExchangeTest({.packet_bytes = kPacketBytes, .read_bytes = kPiece}) {
    std::iota(data_.begin(), data_.end(), 1);
  }

  // The peer reads a piece of what it was told of. False if nothing comes.
  bool reads(const transport::RemoteMemory& memory, std::size_t offset, std::span<int> into) {
    Arrived arrived;
    const std::span<std::byte> bytes = std::as_writable_bytes(into);
    EXPECT_TRUE(peer_->endpoint().try_read({kMe, memory, offset, bytes, &arrived}));
    EXPECT_TRUE(peer_->hears_nothing());
    return arrived.total == bytes.size();
  }
  ReadablePacket hear_offer() {
    const auto offer = peer_->hear<ReadablePacket>(PacketKind::kReadable);
    EXPECT_EQ(offer.offer.bytes, kBytes);
    return offer;
  }
  // The peer's memory, as an offer.
  ReadablePacket readable(std::span<const int> memory, Id id) {
    ReadablePacket packet{.offer = offer(static_cast<int>(memory.size()), id), .memory = {}};
    packet.offer.kind = PacketKind::kReadable;
    EXPECT_TRUE(peer_->endpoint().expose(std::as_bytes(memory), &packet.memory));
    return packet;
  }

  std::vector<int> data_ = std::vector<int>(kValues);
};

TEST_F(RemoteReadTest, ALargeSendMayBeReadUntilTheReceiverHasIt) {
  SendRequest send(ints(data_), to_peer());
  ASSERT_FALSE(begin(send, to_peer(), Mode::kStandard));
  const ReadablePacket offer = hear_offer();
  std::vector<int> seen(100);
  EXPECT_TRUE(reads(offer.memory, 400, seen));
  EXPECT_TRUE(std::equal(seen.begin(), seen.end(), data_.begin() + 100));
  EXPECT_FALSE(send.done());
  peer_->say(TakePacket{.send_id = offer.offer.send_id, .receive_id = 0, .bytes = 0});
  send.wait();
  EXPECT_FALSE(send.outcome().cancelled);
  EXPECT_FALSE(reads(offer.memory, 0, seen));
}

TEST_F(RemoteReadTest, AReceiverMayAskForPiecesInstead) {
  SendRequest send(ints(data_), to_peer());
  ASSERT_FALSE(begin(send, to_peer(), Mode::kStandard));
  const ReadablePacket offer = hear_offer();
  peer_->say(TakePacket{.send_id = offer.offer.send_id, .receive_id = 42, .bytes = kBytes});
  std::vector<int> seen, all;
  while (all.size() < data_.size()) {
    const auto piece = peer_->hear<DataPacket>(PacketKind::kData, &seen);
    EXPECT_EQ(piece.receive_id, 42u);
    all.insert(all.end(), seen.begin(), seen.end());
  }
  EXPECT_EQ(all, data_);
  send.wait();
  EXPECT_FALSE(reads(offer.memory, 0, std::span(seen).first(1)));
}

TEST_F(RemoteReadTest, ASendThatIsWithdrawnMayNotBeReadAnyMore) {
  SendRequest send(ints(data_), to_peer());
  ASSERT_FALSE(begin(send, to_peer(), Mode::kStandard));
  const ReadablePacket offer = hear_offer();
  send.cancel();
  peer_->hear<WithdrawPacket>(PacketKind::kWithdraw);
  peer_->say(WithdrawPacket{.kind = PacketKind::kWithdrawn, .send_id = offer.offer.send_id});
  send.wait();
  EXPECT_TRUE(send.outcome().cancelled);
  std::vector<int> seen(1);
  EXPECT_FALSE(reads(offer.memory, 0, seen));
}

TEST_F(RemoteReadTest, WhatIsOfferedIsReadAndItsSenderIsTold) {
  std::vector<int> room(kValues);
  for (const bool early : {true, false}) {
    room.assign(kValues, 0);
    ReceiveRequest receive(ints(room), from_peer());
    if (early) begin(receive);
    peer_->say(readable(data_, 7));
    if (!early) begin(receive);
    receive.wait();
    EXPECT_EQ(room, data_);
    EXPECT_EQ(receive.outcome().bytes, kBytes);
    const auto taken = peer_->hear<TakePacket>(PacketKind::kTake);
    EXPECT_EQ(taken.send_id, 7u);
    EXPECT_EQ(taken.bytes, 0);
  }
}

TEST_F(RemoteReadTest, OfALongerMessageOnlyWhatThereIsRoomForIsRead) {
  std::vector<int> room(kValues + 1, -1);
  ReceiveRequest receive({room.data(), kValues / 2, &datatype::named(MPI_INT)}, from_peer());
  begin(receive);
  peer_->say(readable(data_, 8));
  receive.wait();
  EXPECT_EQ(receive.verdict().error_class(), MPI_ERR_TRUNCATE);
  EXPECT_TRUE(std::equal(data_.begin(), data_.begin() + kValues / 2, room.begin()));
  EXPECT_EQ(room[kValues / 2], -1);
  EXPECT_EQ(peer_->hear<TakePacket>(PacketKind::kTake).bytes, 0);
}

TEST_F(RemoteReadTest, AnOfferThatMakesNoSenseIsDropped) {
  ReadablePacket packet = readable(data_, 9);
  packet.memory.key = 0;
  peer_->say(packet);
  packet = readable(data_, 9);
  packet.offer.bytes = 0;
  peer_->say(packet);
  packet = readable(data_, 9);
  peer_->say(packet, {1});
  EXPECT_EQ(gateway().dropped_packets(), 3);
}

// Over a network without reads.
TEST_F(ExchangeTest, DropsAnOfferThatItCannotRead) {
  ReadablePacket packet{.offer = offer(6, 10), .memory = {.address = 0, .key = 1}};
  packet.offer.kind = PacketKind::kReadable;
  peer_->say(packet);
  EXPECT_EQ(gateway().dropped_packets(), 1);
}

}  // namespace
}  // namespace heddle::p2p
