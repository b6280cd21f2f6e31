// Lanes serve others, and what they keep for messages is discarded: when their match context is forgotten, and when they have long been
// silent. The tests count their messages.

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

#include "mpi/match/matcher_test_support.h"

namespace heddle::match {
namespace {

// Each of many peers has sent one message, which was received and whose memory is the lane's since.
class OneMessageEach {
 public:
  explicit OneMessageEach(Matcher& matcher) : matcher_(matcher) {}

  void exchange(MatchContext context, int peers) {
    for (int peer = 0; peer < peers; ++peer) {
      const Key key{context, peer, 5};
      UnexpectedMessage* kept = nullptr;
      matcher_.arrive(key, [&](LaneHeld lane) {
        kept = lane.take_spare(0);
        if (kept == nullptr) kept = &messages_.emplace_back();
        kept->key = key;
        return kept;
      });
      ASSERT_EQ(matcher_.take(key), kept);
      Matcher::give_back(*kept);
    }
  }
  // Ever made.
  std::size_t messages() const { return messages_.size(); }

 private:
  Matcher& matcher_;
  std::deque<UnexpectedMessage> messages_;
};

class CountingMail final : public Deliverer {
 public:
  void deliver(PostedReceive&, const Key&, const EagerSlot&) noexcept override {}
  UnexpectedMessage& copy(const LaneHeld&, const Key&, const EagerSlot&) noexcept override {
    std::abort();
  }
  void discard(UnexpectedMessage&) noexcept override { ++discarded; }
  std::size_t discarded = 0;
};

TEST(LaneMemory, ServesOthersOnceAMatchContextIsForgotten) {
  constexpr int kPeers = 1000;
  CountingMail mail;
  Matcher matcher{TagShares(kPeers), &mail};
  OneMessageEach pairs(matcher);
  for (MatchContext context = 1; context <= 6; ++context) {
    pairs.exchange(context, kPeers);
    context % 2 == 0 ? matcher.forget(context) : matcher.forget_idle(context);
    EXPECT_EQ(mail.discarded, pairs.messages());
  }
  // Lanes of contexts are counted, too: of three that are only idle, and one.
  EXPECT_EQ(matcher.lengths().lanes, kPeers + 4u);
}

// In match contexts that live on, beside a pair that talks on. The first look only learns how far each lane is.
TEST(LaneMemory, OfSilentPairsServesOthersWhenMoreIsAskedFor) {
  constexpr MatchContext kContexts = 20;
  constexpr int kPeers = 300;
  CountingMail mail;
  Matcher matcher{TagShares(kPeers), &mail};
  OneMessageEach pairs(matcher);
  for (MatchContext context = 1; context <= kContexts; ++context) {
    pairs.exchange(context, kPeers);
    for (int i = 0; i < 100 * kPeers; ++i) pairs.exchange(1000, 1);
  }
  EXPECT_LE(matcher.lengths().lanes, 6u * kPeers + kContexts);
  EXPECT_GE(mail.discarded, 10u * kPeers);
  EXPECT_LE(pairs.messages() - mail.discarded, matcher.lengths().lanes);
  EXPECT_TRUE(matcher.is_valid());
  drop_everything(matcher);
}

TEST(LaneMemory, OfPairsThatTalkInTurnStays) {
  constexpr int kPeers = 1000;
  CountingMail mail;
  Matcher matcher{TagShares(kPeers), &mail};
  OneMessageEach pairs(matcher);
  for (int i = 0; i < 50; ++i) pairs.exchange(1, kPeers);
  EXPECT_EQ(mail.discarded, 0u);
  EXPECT_EQ(pairs.messages(), std::size_t{kPeers});
  drop_everything(matcher);
}

// A lane with a receive or a message is none that is given up, however long it is silent.
TEST(LaneMemory, WhatWaitsInASilentLaneStays) {
  CountingMail mail;
  Matcher matcher{TagShares(5000), &mail};
  PostedReceive receive;
  receive.key = {1, 1, 5};
  ASSERT_FALSE(matcher.post(receive, [](UnexpectedMessage&) { return false; }));
  UnexpectedMessage message, other;
  message.key = {1, 2, 5};
  ASSERT_EQ(matcher.arrive(message.key, [&](LaneHeld) { return &message; }), nullptr);
  OneMessageEach pairs(matcher);
  for (MatchContext context = 2; context <= 10; ++context) {
    pairs.exchange(context, 100);
    for (int i = 0; i < 10'000; ++i) pairs.exchange(1000, 1);
  }
  EXPECT_GT(mail.discarded, 0u);  // others were given up
  EXPECT_TRUE(matcher.is_valid());
  EXPECT_EQ(matcher.arrive({1, 1, 5}, [&](LaneHeld) { return &other; }), &receive);
  EXPECT_EQ(matcher.take({1, 2, 5}), &message);
  drop_everything(matcher);
}

// A pair whose lane is given up, and which gets another one, numbers its receives on.
TEST(LaneMemory, NumbersOfReceivesGoOn) {
  Matcher matcher{kShares};
  std::uint64_t last = 0;
  const auto receive_one = [&] {
    UnexpectedMessage message;
    message.key = {1, 0, 5};
    ASSERT_EQ(matcher.arrive(message.key, [&](LaneHeld) { return &message; }), nullptr);
    PostedReceive receive;
    receive.key = message.key;
    ASSERT_TRUE(matcher.post(receive, [](UnexpectedMessage&) { return false; }));
    EXPECT_GT(receive.order, last);
    last = receive.order;
  };
  for (int i = 0; i < 5; ++i) receive_one();
  matcher.forget_idle(1);
  UnexpectedMessage other;  // has the lane now
  other.key = {1, 1, 5};
  ASSERT_EQ(matcher.arrive(other.key, [&](LaneHeld) { return &other; }), nullptr);
  receive_one();
  EXPECT_EQ(matcher.take(other.key), &other);
}

}  // namespace
}  // namespace heddle::match
