#include "mpi/p2p/remote/exchange.h"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "mpi/p2p/remote/two_hosts_test.h"

namespace heddle::p2p {
namespace {

TEST_F(ExchangeTest, AnEagerMessageMeetsItsReceive) {
  std::vector<int> room(3);
  ReceiveRequest receive(ints(room), from_peer());
  begin(receive);
  peer_->say(EagerPacket{.to = kMe, .context = context(), .source = kPeer, .tag = kTag}, {1, 2, 3});
  receive.wait();
  EXPECT_EQ(room, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(peer_->hears_nothing());
}

TEST_F(ExchangeTest, ASmallOfferIsAnsweredWhenItIsTaken) {
  std::vector<int> room(3);
  peer_->say(offer(3, 77), {1, 2, 3});
  EXPECT_TRUE(peer_->hears_nothing());
  ReceiveRequest receive(ints(room), from_peer());
  begin(receive);
  receive.wait();
  EXPECT_EQ(room, (std::vector<int>{1, 2, 3}));
  const auto taken = peer_->hear<TakePacket>(PacketKind::kTake);
  EXPECT_EQ(taken.send_id, 77u);
  EXPECT_EQ(taken.bytes, 0);
}

TEST_F(ExchangeTest, ALargeOfferIsFetchedAndPiecesThatDoNotFitAreDropped) {
  std::vector<int> room(6);
  ReceiveRequest receive(ints(room), from_peer());
  begin(receive);
  peer_->say(offer(6, 78));
  const auto taken = peer_->hear<TakePacket>(PacketKind::kTake);
  EXPECT_EQ(taken.send_id, 78u);
  ASSERT_EQ(taken.bytes, 24);
  const Id id = taken.receive_id;
  peer_->say(DataPacket{.receive_id = id, .offset = 0}, {1, 2, 3});
  peer_->say(DataPacket{.receive_id = id, .offset = 0}, {9, 9, 9});
  peer_->say(DataPacket{.receive_id = id, .offset = 16}, {9, 9});
  peer_->say(DataPacket{.receive_id = id, .offset = 12}, {9, 9, 9, 9});
  peer_->say(DataPacket{.receive_id = id + 1, .offset = 12}, {9, 9, 9});
  EXPECT_FALSE(receive.done());
  peer_->say(DataPacket{.receive_id = id, .offset = 12}, {4, 5, 6});
  receive.wait();
  EXPECT_EQ(room, (std::vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(gateway().dropped_packets(), 4);
  peer_->say(DataPacket{.receive_id = id, .offset = 0}, {9, 9, 9});
  EXPECT_EQ(gateway().dropped_packets(), 5);
}

TEST_F(ExchangeTest, OfALongerMessageOnlyWhatThereIsRoomForIsFetched) {
  std::vector<int> room(2);
  peer_->say(offer(6, 79));
  ReceiveRequest receive(ints(room), from_peer());
  begin(receive);
  const auto taken = peer_->hear<TakePacket>(PacketKind::kTake);
  ASSERT_EQ(taken.bytes, 8);
  peer_->say(DataPacket{.receive_id = taken.receive_id, .offset = 0}, {1, 2});
  receive.wait();
  EXPECT_EQ(receive.verdict().error_class(), MPI_ERR_TRUNCATE);
  EXPECT_EQ(room, (std::vector<int>{1, 2}));
}

TEST_F(ExchangeTest, AnOfferThatIsWithdrawnInTimeIsForgotten) {
  std::vector<int> room(3);
  peer_->say(offer(3, 80), {1, 2, 3});
  peer_->say(offer(3, 81), {4, 5, 6});
  peer_->say(WithdrawPacket{.kind = PacketKind::kWithdraw, .send_id = 80});
  EXPECT_EQ(peer_->hear<WithdrawPacket>(PacketKind::kWithdrawn).send_id, 80u);
  ReceiveRequest receive(ints(room), from_peer());
  begin(receive);
  receive.wait();
  EXPECT_EQ(room, (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(peer_->hear<TakePacket>(PacketKind::kTake).send_id, 81u);
  // Now it is too late: there is no further answer.
  peer_->say(WithdrawPacket{.kind = PacketKind::kWithdraw, .send_id = 81});
  EXPECT_TRUE(peer_->hears_nothing());
}

TEST_F(ExchangeTest, ASynchronousSendEndsWhenItIsTaken) {
  std::vector<int> data{1, 2, 3}, seen;
  SendRequest send(ints(data), to_peer());
  ASSERT_FALSE(begin(send, to_peer(), Mode::kSynchronous));
  const auto offered = peer_->hear<OfferPacket>(PacketKind::kOffer, &seen);
  EXPECT_EQ(seen, data);
  EXPECT_EQ(offered.bytes, 12);
  peer_->say(TakePacket{.send_id = offered.send_id + 1, .receive_id = 1, .bytes = 0});
  peer_->say(TakePacket{.send_id = offered.send_id, .receive_id = 1, .bytes = 13});
  EXPECT_EQ(gateway().dropped_packets(), 2);
  EXPECT_FALSE(send.done());
  peer_->say(TakePacket{.send_id = offered.send_id, .receive_id = 0, .bytes = 0});
  send.wait();
  EXPECT_FALSE(send.outcome().cancelled);
}

TEST_F(ExchangeTest, ALargeSendLeavesInPiecesWhenItIsTaken) {
  std::vector<int> data(1000), seen, all;
  for (int i = 0; i < 1000; ++i) data[static_cast<std::size_t>(i)] = i;
  SendRequest send(ints(data), to_peer());
  ASSERT_FALSE(begin(send, to_peer(), Mode::kStandard));
  const auto offered = peer_->hear<OfferPacket>(PacketKind::kOffer, &seen);
  EXPECT_TRUE(seen.empty());
  peer_->say(TakePacket{.send_id = offered.send_id, .receive_id = 42, .bytes = 4000});
  while (all.size() < data.size()) {
    const auto piece = peer_->hear<DataPacket>(PacketKind::kData, &seen);
    EXPECT_EQ(piece.receive_id, 42u);
    EXPECT_EQ(piece.offset, static_cast<std::int64_t>(all.size() * sizeof(int)));
    all.insert(all.end(), seen.begin(), seen.end());
  }
  EXPECT_EQ(all, data);
  send.wait();
}

TEST_F(ExchangeTest, ACancelledSendEndsAsTheReceiverSays) {
  for (const bool in_time : {true, false}) {
    std::vector<int> data{1, 2, 3};
    SendRequest send(ints(data), to_peer());
    ASSERT_FALSE(begin(send, to_peer(), Mode::kSynchronous));
    const Id id = peer_->hear<OfferPacket>(PacketKind::kOffer).send_id;
    send.cancel();
    EXPECT_EQ(peer_->hear<WithdrawPacket>(PacketKind::kWithdraw).send_id, id);
    EXPECT_FALSE(send.done());
    if (in_time) {
      peer_->say(WithdrawPacket{.kind = PacketKind::kWithdrawn, .send_id = id});
    } else {
      peer_->say(TakePacket{.send_id = id, .receive_id = 0, .bytes = 0});
    }
    send.wait();
    EXPECT_EQ(send.outcome().cancelled, in_time);
  }
}

// A network by which a packet that makes no sense comes at once, and another one at the end of the same poll, which
// lasts until `closing`.
class Chatter final : public transport::Transport {
 public:
  Chatter(std::atomic<bool>& polled, std::atomic<bool>& closing) noexcept
      : Transport({.host = kMe}), polled_(polled), closing_(closing) {}

  transport::Traits traits() const noexcept override { return {.packet_bytes = kPacketBytes}; }
  transport::Address address() const override { return {}; }
  Error connect(int, Bytes) override { return {}; }
  std::unique_ptr<transport::Endpoint> open(int, transport::Upcall& upcall) override {
    return std::make_unique<End>(*this, upcall);
  }

 private:
  class End final : public transport::Endpoint {
   public:
    End(Chatter& network, transport::Upcall& upcall) noexcept
        : network_(network), upcall_(upcall) {}
    bool try_send(int, Bytes, Bytes) noexcept override { return true; }
    bool poll() noexcept override {
      upcall_.on_packet(0, kPeer, {});
      network_.polled_ = true;
      while (!network_.closing_) std::this_thread::yield();
      for (int i = 0; i < 20; ++i) std::this_thread::yield();  // the closer goes on
      upcall_.on_packet(0, kPeer, {});
      return true;
    }

   private:
    Chatter& network_;
    transport::Upcall& upcall_;
  };

  std::atomic<bool>&polled_, &closing_;
};

TEST(Exchange, PacketsMayComeWhileItOpensAndCloses) {
  world::Job job(world::kFirstJob, 2);
  job.process(kPeer).host = kPeer;
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> polled{false}, closing{false}, closed{false};
    std::thread poller([&] {
      while (!closed) ult::relax();
    });
    auto gateway =
        open_gateway(job, transport::routes_by(std::make_unique<Chatter>(polled, closing), 2));
    while (!polled) std::this_thread::yield();
    closing = true;
    gateway = nullptr;
    closed = true;
    poller.join();
  }
}

// What the bytes say as the name of a receive, as if they were data for it.
Id name_in(const Packet& packet) {
  DataPacket head;
  return read(packet, &head) ? head.receive_id : Id{0};
}

class Garbage : public ExchangeTest, public ::testing::WithParamInterface<unsigned> {};

// What has the name of the receive and the right offset is no garbage but its payload.
TEST_P(Garbage, DoesNoHarm) {
  std::mt19937_64 random(GetParam());
  std::vector<int> room(4);
  ReceiveRequest receive(ints(room), from_peer());
  peer_->say(offer(4, 1));
  begin(receive);  // so that there is a Fetch to be missed
  const Id fetch = peer_->hear<TakePacket>(PacketKind::kTake).receive_id;
  for (int i = 0; i < 20000; ++i) {
    Packet packet(random() % 64);
    for (std::byte& byte : packet) byte = static_cast<std::byte>(random() % 8 == 0 ? random() : 0);
    if (!packet.empty()) packet[0] = static_cast<std::byte>(random() % 10);
    if (random() % 2 == 0 && packet.size() >= 8) packet[4] = static_cast<std::byte>(random() % 3);
    if (name_in(packet) == fetch) continue;
    gateway().on_packet(0, static_cast<int>(random() % 2), packet);
  }
  EXPECT_GT(gateway().dropped_packets(), 1000);
  peer_->say(DataPacket{.receive_id = fetch, .offset = 0}, {1, 2, 3, 4});
  receive.wait();
  EXPECT_EQ(room, (std::vector<int>{1, 2, 3, 4}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Garbage, ::testing::Range(0u, 3u));

TEST(IdTable, ANameThatHasEndedFindsNothing) {
  gateway::IdTable<int> table;
  const auto any = [](const int&) { return true; };
  const auto none = [](const int&) { return false; };
  int a = 1, b = 2;
  const Id first = table.add(a);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(table.find(first, any), &a);
  EXPECT_EQ(table.find(first, none), nullptr);
  EXPECT_EQ(table.take(first, none), nullptr);
  EXPECT_EQ(table.take(first, any), &a);
  EXPECT_EQ(table.take(first, any), nullptr);
  const Id second = table.add(b);  // in the same place
  EXPECT_NE(second, first);
  EXPECT_EQ(table.find(first, any), nullptr);
  EXPECT_EQ(table.find(second, any), &b);
  for (const Id garbage : {Id{0}, Id{1} << 32, ~Id{0}, second + 1}) {
    EXPECT_EQ(table.find(garbage, any), nullptr);
  }
}

}  // namespace
}  // namespace heddle::p2p
