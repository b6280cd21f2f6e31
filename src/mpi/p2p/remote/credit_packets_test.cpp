// When a host sends payloads, offers and credit (credit.h).
#include <vector>

#include "mpi/p2p/remote/two_hosts_test.h"

namespace heddle::p2p {
namespace {

class Credits : public ExchangeTest {
 protected:
  void TearDown() override { EXPECT_EQ(gateway().dropped_packets(), makes_no_sense_); }
  int makes_no_sense_ = 0;  // packets that the test has said
};

// How many messages of this size the account lets through.
int eager_messages(std::size_t values) {
  const auto cost = static_cast<std::int64_t>(values * sizeof(int)) + Credit::kRecord;
  return static_cast<int>(Credit::kMost / cost);
}

class OfSize : public Credits, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(OfSize, ASenderWithoutCreditOffersWithoutPayload) {
  std::vector<int> data(GetParam(), 7), seen;
  const auto bytes = static_cast<std::int64_t>(data.size() * sizeof(int));
  const int most = eager_messages(data.size());
  for (int i = 0; i < most; ++i) {
    SendRequest eager(ints(data), to_peer());
    ASSERT_FALSE(begin(eager, to_peer(), Mode::kStandard));
    ASSERT_TRUE(eager.done());
    peer_->hear<EagerPacket>(PacketKind::kEager, &seen);
    ASSERT_EQ(seen, data);
  }
  SendRequest offered(ints(data), to_peer());
  ASSERT_FALSE(begin(offered, to_peer(), Mode::kStandard));
  EXPECT_FALSE(offered.done());
  const auto offer = peer_->hear<OfferPacket>(PacketKind::kOffer, &seen);
  EXPECT_EQ(offer.bytes, bytes);
  EXPECT_TRUE(seen.empty());
  peer_->say(TakePacket{.send_id = offer.send_id, .receive_id = 42, .bytes = bytes});
  peer_->hear<DataPacket>(PacketKind::kData, &seen);
  EXPECT_EQ(seen, data);
  offered.wait();

  peer_->say(CreditPacket{.to = kPeer, .bytes = bytes + Credit::kRecord});
  SendRequest again(ints(data), to_peer());
  ASSERT_FALSE(begin(again, to_peer(), Mode::kStandard));
  EXPECT_TRUE(again.done());
  peer_->hear<EagerPacket>(PacketKind::kEager);
}

// Of 10 ints the payload would have credit, without the record that an eager message takes.
INSTANTIATE_TEST_SUITE_P(Credits, OfSize, ::testing::Values(200, 10));

// A send that has left needs no request of its own.
TEST_F(Credits, ANonblockingSendThatLeavesIsFinished) {
  std::vector<int> data(10, 7);
  request::Request* request = nullptr;
  ASSERT_FALSE(isend(ints(data), to_peer(), &request));
  EXPECT_EQ(request, &request::finished());
  peer_->hear<EagerPacket>(PacketKind::kEager);
}

TEST_F(Credits, CreditThatWasNotGivenIsNotTakenBack) {
  std::vector<int> data(200);
  SendRequest send(ints(data), to_peer());
  ASSERT_FALSE(begin(send, to_peer(), Mode::kStandard));
  peer_->say(CreditPacket{.to = kPeer, .bytes = 801 + Credit::kRecord});
  peer_->say(CreditPacket{.to = kPeer, .bytes = -1});
  peer_->say(CreditPacket{.to = kMe, .bytes = 1});
  peer_->say(CreditPacket{.to = 2, .bytes = 1});
  makes_no_sense_ = 4;
}

// What is kept has its room until a receive takes it; then it comes back, to the byte, in batches.
TEST_F(Credits, AReceiverGivesCreditBackForWhatItHasTaken) {
  const std::vector<int> data(200, 7);
  const std::int64_t cost = 800 + Credit::kRecord;
  const int batch = static_cast<int>((Credit::kBatch + cost - 1) / cost);
  std::vector<int> room(200);
  for (int i = 0; i < 2 * batch; ++i) {
    peer_->say(EagerPacket{.to = kMe, .context = context(), .source = kPeer, .tag = kTag}, data);
  }
  EXPECT_TRUE(peer_->hears_nothing());
  for (int i = 1; i < 3 * batch; ++i) {
    ReceiveRequest receive(ints(room), from_peer());
    begin(receive);
    if (i > 2 * batch) {  // these are posted before their message comes
      peer_->say(EagerPacket{.to = kMe, .context = context(), .source = kPeer, .tag = kTag}, data);
    }
    receive.wait();
    ASSERT_EQ(room, data);
    if (i % batch != 0) {
      ASSERT_TRUE(peer_->hears_nothing()) << i;
      continue;
    }
    const auto credit = peer_->hear<CreditPacket>(PacketKind::kCredit);
    EXPECT_EQ(credit.to, kMe);
    EXPECT_EQ(credit.bytes, batch * cost);
  }
}

// A payload that has come with an offer has only its own bytes' room.
TEST_F(Credits, AWithdrawnOfferGivesItsCreditBack) {
  const std::vector<int> data(200, 7);
  const int batch = static_cast<int>((Credit::kBatch + 799) / 800);
  for (int i = 1; i <= batch; ++i) {
    const Id id = static_cast<Id>(i);
    peer_->say(offer(200, id), data);
    peer_->say(WithdrawPacket{.kind = PacketKind::kWithdraw, .send_id = id});
    if (i == batch) {
      EXPECT_EQ(peer_->hear<CreditPacket>(PacketKind::kCredit).bytes, batch * 800);
    }
    EXPECT_EQ(peer_->hear<WithdrawPacket>(PacketKind::kWithdrawn).send_id, id);
  }
}

}  // namespace
}  // namespace heddle::p2p
