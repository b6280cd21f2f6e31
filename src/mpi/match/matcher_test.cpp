// The matcher against the rules of §3.5 in their plainest form, one operation at a time.

#include "mpi/match/matcher.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "mpi/match/matcher_test_support.h"

namespace heddle::match {
namespace {

struct Receive : PostedReceive {
  int number = 0;
};
struct Message : UnexpectedMessage {
  void delivered_to(PostedReceive& receive) {
    EXPECT_EQ(static_cast<Receive&>(receive).number, expected);
    in_ring = false;
  }
  void copied() { in_ring = false; }

  int number = 0;
  int expected =
      ListOracle::kNothing;  // of a ring message: the receive that is to get it, if one was posted
  bool in_ring = false;
};

constexpr int kNothing = ListOracle::kNothing;

struct Ranges {
  int contexts, sources, tags;
  double wildcard;
  int processes = 2;   // of the job
  double by_ring = 0;  // how many receives are attended, and messages small
};

class Comparison {
 public:
  Comparison(const Ranges& ranges, unsigned seed) : ranges_(ranges), random_(seed) {}
  ~Comparison() { drop_everything(matcher_); }

  // Swings between more posts and more arrivals, so that both queues get long. With ring messages they stay short, since
  // a ring opens where there are none.
  void step(int number) {
    const bool posting_phase =
        ranges_.by_ring == 0 ? (number / 500) % 2 == 0 : receives_.size() <= messages_.size();
    if (chance(posting_phase ? 0.7 : 0.3)) {
      post();
    } else {
      arrive();
    }
    if (chance(0.1)) cancel_one();
    if (chance(0.05)) take_one();
    if (chance(0.01)) forget_one();
    if (chance(0.02)) {
      EXPECT_TRUE(matcher_.is_valid());
    }
  }

  int by_ring() const noexcept { return lines_; }

 private:
  using Names = std::tuple<MatchContext, int, int>;
  static Names names_of(const Key& key) { return {key.context, key.source, key.tag}; }

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  Key any_key() {
    return {static_cast<MatchContext>(1 + below(ranges_.contexts)), below(ranges_.sources),
            below(ranges_.tags)};
  }
  Pattern any_pattern() {
    Pattern wanted = any_key();
    if (chance(ranges_.wildcard)) wanted.source = MPI_ANY_SOURCE;
    if (chance(ranges_.wildcard)) wanted.tag = MPI_ANY_TAG;
    return wanted;
  }

  void post() {
    const Pattern wanted = any_pattern();
    // A look sorts what receives would leave unsorted, so only sometimes.
    const bool looks = chance(0.3);
    Envelope found;
    const bool peeked = looks && matcher_.peek(wanted, &found);
    Receive& receive = receives_.emplace_back();
    receive.key = wanted;
    receive.number = static_cast<int>(receives_.size()) - 1;
    int got = kNothing;
    Key got_key;
    const bool attended = chance(ranges_.by_ring);
    if (attended && !is_wildcard(wanted)) ripen(matcher_, wanted);
    const auto take = [&](UnexpectedMessage& message) {
      got = static_cast<Message&>(message).number;
      got_key = message.key;
      return false;
    };
    const auto open = [&](const EagerSlot& slot) {
      Message& message = Mail::message_of(slot);
      message.in_ring = false;
      take(message);
    };
    const bool matched = matcher_.post(receive, attended, take, open);
    ASSERT_EQ(matched, got != kNothing);
    if (looks) {
      ASSERT_EQ(peeked, matched);
    }
    if (peeked) {
      ASSERT_EQ(found.key, got_key);
    }
    check_order(receive);
    ASSERT_TRUE(oracle_.may_get(wanted, got));
    if (matched) {
      oracle_.remove_message(got);
    } else {
      oracle_.post(wanted, receive.number);
    }
  }

  void arrive() {
    Message& message = messages_.emplace_back();
    message.key = any_key();
    message.number = static_cast<int>(messages_.size()) - 1;
    const int expected = oracle_.arrive(message.key);
    message.expected = expected;
    message.in_ring = chance(ranges_.by_ring);
    if (message.in_ring && Mail::leave(matcher_, message)) {
      ++lines_;
      if (expected == kNothing) oracle_.keep(message.key, message.number);
      return;
    }
    message.in_ring = false;
    PostedReceive* got = matcher_.arrive(message.key, [&](LaneHeld) { return &message; });
    ASSERT_EQ(got != nullptr ? static_cast<Receive*>(got)->number : kNothing, expected);
    if (got == nullptr) oracle_.keep(message.key, message.number);
  }

  void cancel_one() {
    if (!receives_.empty()) {
      const int victim = below(static_cast<int>(receives_.size()));
      ASSERT_EQ(Matcher::cancel(receives_[static_cast<std::size_t>(victim)]),
                oracle_.remove_receive(victim));
    }
    if (!messages_.empty()) {
      const int victim = below(static_cast<int>(messages_.size()));
      if (messages_[static_cast<std::size_t>(victim)].in_ring) return;
      ASSERT_EQ(Matcher::cancel(messages_[static_cast<std::size_t>(victim)]),
                oracle_.remove_message(victim));
    }
  }

  // Receives that want the same are numbered as they were posted, whichever way they found a message.
  void check_order(const Receive& receive) {
    std::uint64_t& last = last_orders_[names_of(receive.key)];
    ASSERT_GT(receive.order, last);
    last = receive.order;
  }

  // Its lanes may come back as others', with other numbers.
  void forget_one() {
    const auto context = static_cast<MatchContext>(1 + below(ranges_.contexts));
    chance(0.5) ? matcher_.forget(context) : matcher_.forget_idle(context);
    std::erase_if(last_orders_, [=](const auto& entry) {
      return std::get<MatchContext>(entry.first) == context;
    });
  }

  void take_one() {
    const Pattern wanted = any_pattern();
    auto* taken = static_cast<Message*>(matcher_.take(wanted));
    const int number = taken != nullptr ? taken->number : kNothing;
    ASSERT_TRUE(oracle_.may_get(wanted, number));
    if (taken != nullptr) oracle_.remove_message(number);
  }

  using Mail = AddressMail<Message>;

  const Ranges ranges_;
  std::mt19937 random_;
  Mail mail_;
  Matcher matcher_{TagShares(ranges_.processes), &mail_};
  int lines_ = 0;
  ListOracle oracle_;
  std::deque<Receive> receives_;
  std::deque<Message> messages_;
  std::map<Names, std::uint64_t> last_orders_;
};

// Returns how many messages went as ring messages.
int compare_with_oracle(const Ranges& ranges, int steps) {
  const unsigned seed = fresh_seed();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Comparison comparison(ranges, seed);
  for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) comparison.step(i);
  return comparison.by_ring();
}

TEST(Matcher, AgreesWithAListScanWhenEverythingCollides) {
  compare_with_oracle({1, 1, 2, 0.3}, 20000);
}
TEST(Matcher, AgreesWithAListScanWithFewKeysAndManyWildcards) {
  compare_with_oracle({2, 3, 3, 0.5}, 20000);
}
TEST(Matcher, AgreesWithAListScanWithManyPeers) {
  compare_with_oracle({3, 200, 4, 0.1}, 20000);
}
TEST(Matcher, AgreesWithAListScanWithManyTags) {
  compare_with_oracle({2, 2, 300, 0.05}, 20000);
}
TEST(Matcher, AgreesWithAListScanInALargeJob) {
  compare_with_oracle({2, 2, 300, 0.05, 300}, 20000);
}
TEST(Matcher, AgreesWithAListScanInAHugeJob) {
  compare_with_oracle({2, 2, 300, 0.05, 5000}, 20000);
}
TEST(Matcher, AgreesWithAListScanWithoutWildcards) {
  compare_with_oracle({2, 4, 4, 0.0}, 20000);
}

TEST(Matcher, AgreesWithAListScanOverRings) {
  int by_ring = compare_with_oracle({1, 1, 1, 0.0, 2, 0.95}, 20000);
  EXPECT_GT(by_ring, 0);
  // A receive with a wildcard that waits keeps rings closed, and here one may wait to the end.
  by_ring += compare_with_oracle({1, 1, 2, 0.0, 2, 0.95}, 20000);
  by_ring += compare_with_oracle({2, 2, 3, 0.02, 2, 0.95}, 20000);
  by_ring += compare_with_oracle({2, 2, 30, 0.02, 2, 0.9}, 20000);
  by_ring +=
      compare_with_oracle({2, 2, 3, 0.02, 5000, 0.95}, 20000);  // all tags of a source share a lane
  RecordProperty("eager_ring", by_ring);
}

// The lanes of one source, the later ring message in the lane that a receive of any tag looks at first.
TEST(Matcher, AReceiveOfAnyTagTakesTheRingMessageThatWasSentFirst) {
  AddressMail<Message> mail;
  for (const int first : {0, 1}) {
    Matcher matcher{kShares, &mail};
    std::deque<Message> messages(6);
    std::deque<Receive> receives(8);
    const auto post = [&](Receive& receive, int tag, bool attended) {
      int got = kNothing;
      receive.key = {1, 1, tag};
      matcher.post(
          receive, attended,
          [&](UnexpectedMessage& message) {
            got = static_cast<Message&>(message).number;
            return false;
          },
          [](const EagerSlot&) {});
      return got;
    };
    for (const int tag : {first, 1 - first}) {
      ASSERT_NE(kShares.peer_of({1, 1, 0}), kShares.peer_of({1, 1, 1}));
      Receive& receive = receives[static_cast<std::size_t>(tag)];
      ASSERT_EQ(post(receive, tag, true), kNothing);
      ASSERT_TRUE(Matcher::cancel(receive));  // makes the lane
      ripen(matcher, receive.key);
      ASSERT_EQ(post(receive, tag, true), kNothing);
      receive.number = tag;
    }
    for (int i = 0; i < 6; ++i) {
      Message& message = messages[static_cast<std::size_t>(i)];
      message.number = i;
      message.key = {1, 1, i % 2};
      message.expected = i < 2 ? i % 2 : kNothing;
      ASSERT_TRUE(AddressMail<Message>::leave(matcher, message));
    }
    for (int i = 2; i < 6; ++i) {
      EXPECT_EQ(post(receives[static_cast<std::size_t>(i)], MPI_ANY_TAG, false), i);
    }
    EXPECT_FALSE(receives[0].queued() || receives[1].queued());
    EXPECT_TRUE(matcher.is_valid());
  }
}

// What is sent otherwise stays behind ring messages, and ring messages stay behind it.
TEST(Matcher, RingMessagesAndOthersOfALaneKeepTheirOrder) {
  AddressMail<Message> mail;
  Matcher matcher{TagShares(5000), &mail};  // one lane
  Receive first, second;
  const auto keep_none = [](UnexpectedMessage&) { return false; };
  const auto open_none = [](const EagerSlot&) {};
  first.key = second.key = {1, 1, 5};
  ASSERT_FALSE(matcher.post(first, true, keep_none, open_none));
  ASSERT_TRUE(Matcher::cancel(first));
  ripen(matcher, first.key);
  ASSERT_FALSE(matcher.post(first, true, keep_none, open_none));
  std::deque<Message> messages(3);
  for (Message& message : messages) message.key = {1, 1, 5};
  ASSERT_TRUE(AddressMail<Message>::leave(matcher, messages[0]));
  messages[0].expected = first.number = 1;
  ASSERT_EQ(matcher.lengths().unexpected, 1u);
  EXPECT_EQ(matcher.arrive(messages[1].key, [&](LaneHeld) { return &messages[1]; }), nullptr);
  EXPECT_FALSE(first.queued());  // has got the ring message
  EXPECT_FALSE(AddressMail<Message>::leave(matcher, messages[2]));
  EXPECT_EQ(matcher.arrive(messages[2].key, [&](LaneHeld) { return &messages[2]; }), nullptr);
  EXPECT_EQ(matcher.take({1, MPI_ANY_SOURCE, 5}), &messages[1]);
  EXPECT_EQ(matcher.take({1, 1, 5}), &messages[2]);
}

TEST(Matcher, ServesManyMatchContextsWithTheLanesOfOne) {
  constexpr MatchContext kContexts = kSanitized ? 20'000 : 1'000'000;
  Matcher matcher{kShares};
  for (MatchContext context = 1; context <= kContexts; ++context) {
    Message message;
    message.key = {context, static_cast<int>(context % 3), 5};
    ASSERT_EQ(matcher.arrive(message.key, [&](LaneHeld) { return &message; }), nullptr);
    Receive receive;
    receive.key = {context, MPI_ANY_SOURCE, MPI_ANY_TAG};
    ASSERT_TRUE(matcher.post(receive, [](UnexpectedMessage&) { return false; }));
    matcher.forget(context);
  }
  EXPECT_EQ(matcher.lengths().lanes, 2u);
}

TEST(Matcher, KeepsTheLaneOfAMessageThatNobodyReceived) {
  Matcher matcher{kShares};
  Message message;
  message.key = {9, 2, 5};
  matcher.arrive(message.key, [&](LaneHeld) { return &message; });
  matcher.forget(9);
  EXPECT_EQ(matcher.take({9, 2, 5}), &message);
}

// The front one is taken where it is, the others go to the stock; what comes later comes after them.
TEST(Matcher, SeveralMessagesThatWaitChangeSidesAtOnce) {
  Matcher matcher{kShares};
  std::deque<Message> messages(4);
  std::deque<Receive> posted(5);
  const auto arrive = [&](Message& message) {
    message.key = {7, 3, 5};
    return matcher.arrive(message.key, [&](LaneHeld) { return &message; });
  };
  const auto post = [&](Receive& receive) -> UnexpectedMessage* {
    receive.key = {7, 3, 5};
    UnexpectedMessage* got = nullptr;
    matcher.post(receive, [&](UnexpectedMessage& message) {
      got = &message;
      return false;
    });
    return got;
  };
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(arrive(messages[i]), nullptr);
  EXPECT_EQ(post(posted[0]), &messages[0]);
  Lane& lane = *messages[0].lane;
  EXPECT_TRUE(lane.stocked());
  EXPECT_TRUE(lane.fresh.empty());
  EXPECT_EQ(post(posted[1]), &messages[1]);
  ASSERT_EQ(arrive(messages[3]), nullptr);
  EXPECT_EQ(post(posted[2]), &messages[2]);
  EXPECT_FALSE(lane.stocked());
  EXPECT_EQ(post(posted[3]), &messages[3]);
  EXPECT_TRUE(lane.fresh.empty());
  EXPECT_EQ(post(posted[4]), nullptr);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_GT(posted[i].order, posted[i - 1].order);
  EXPECT_TRUE(Matcher::cancel(posted[4]));
}

// A receive from any source looks at all lanes in the list, so those that others have emptied leave it,
// whether they may hold its tag or not.
TEST(Matcher, ForgetsThatEmptyLanesHadMessages) {
  Matcher matcher{kShares};
  std::deque<Message> messages(10);
  std::vector<Lane*> lanes;
  const auto key_of = [](int i) { return Key{7, 1, i}; };
  for (int i = 0; i < 10; ++i) {
    Message& message = messages[static_cast<std::size_t>(i)];
    message.key = key_of(i);
    matcher.arrive(message.key, [&](LaneHeld lane) {
      lanes.push_back(&*lane);
      return &message;
    });
  }
  Receive receive;
  for (int i = 1; i < 10; ++i) {
    receive.key = key_of(i);
    ASSERT_TRUE(matcher.post(receive, [](UnexpectedMessage&) { return false; }));
  }
  Envelope found;
  EXPECT_FALSE(matcher.peek({7, MPI_ANY_SOURCE, 1000}, &found));
  for (Lane* lane : lanes) EXPECT_EQ(lane->listed, lane == lanes[0]);
  EXPECT_EQ(matcher.take({7, MPI_ANY_SOURCE, 0}), &messages[0]);
}

// Of both sizes, taken from either side of a lane.
TEST(Matcher, MemoryThatIsGivenBackServesTheNextMessage) {
  for (const MPI_Count bytes : {MPI_Count{8}, Spares::kSmall + 1}) {
    Matcher matcher{kShares};
    Message first, second, third;
    const auto arrive = [&](Message& otherwise) {
      UnexpectedMessage* kept = nullptr;
      matcher.arrive({7, 3, 5}, [&](LaneHeld lane) {
        kept = lane.take_spare(bytes);
        if (kept == nullptr) kept = &otherwise;
        kept->key = {7, 3, 5};
        kept->bytes = bytes;
        return kept;
      });
      return kept;
    };
    EXPECT_EQ(arrive(first), &first);
    EXPECT_EQ(arrive(second), &second);
    EXPECT_EQ(matcher.take({7, 3, 5}), &first);
    Matcher::give_back(first);
    EXPECT_EQ(arrive(third), &first);
    EXPECT_EQ(arrive(third), &third);
    int dropped = 0, freed = 0;
    EXPECT_EQ(matcher.take({7, 3, 5}), &second);
    Matcher::give_back(second);
    matcher.clear([&](UnexpectedMessage&) { ++dropped; }, [&](UnexpectedMessage&) { ++freed; });
    EXPECT_EQ(dropped, 2);
    EXPECT_EQ(freed, 1);
  }
}

struct CountingWatcher final : Watcher {
  using Watcher::Watcher;
  void arrived() noexcept override { ++told; }
  int told = 0;
};

TEST(Matcher, TellsAWatcherOnceAndOnlyOfWhatFits) {
  for (const int source : {3, MPI_ANY_SOURCE}) {
    Matcher matcher{kShares};
    CountingWatcher watcher({7, source, 5});
    ASSERT_TRUE(matcher.watch(watcher));
    std::deque<Message> messages(4);
    const Key keys[] = {{7, 3, 4}, {8, 3, 5}, {7, 3, 5}, {7, 3, 5}};
    const int told[] = {0, 0, 1, 1};
    for (std::size_t i = 0; i < 4; ++i) {
      messages[i].key = keys[i];
      matcher.arrive(keys[i], [&](LaneHeld) { return &messages[i]; });
      EXPECT_EQ(watcher.told, told[i]);
    }
    CountingWatcher late({7, source, 5});
    EXPECT_FALSE(matcher.watch(late));
    drop_everything(matcher);
  }
}

// While watchers are told, another strand receives the message, for which it needs the stock's lock
// only, and frees it: with its key, which the caller has named.
struct ReceivingWatcher final : Watcher {
  ReceivingWatcher(const Pattern& pattern, Lane*& lane) noexcept
      : Watcher(pattern), kept_in(lane) {}
  void arrived() noexcept override {
    ++told;
    const Locked stock(StockHeld::lock(*kept_in));
    UnexpectedMessage* const message = kept_in->stock.messages.take({7, 3, wanted.tag});
    if (message == nullptr) return;
    message->key = {};
    delete static_cast<Message*>(message);
    received = true;
  }
  Lane*& kept_in;
  int told = 0;
  bool received = false;
};

TEST(Matcher, ToldOfAMessageOneWatcherMayReceiveItBeforeTheNextIsTold) {
  constexpr int kHugeJob = 5000;  // all tags of a source share a lane
  constexpr int kLongestPile = 520;
  for (int pile = 0; pile < kLongestPile; ++pile) {  // with one of them the message closes the pile
    Matcher matcher{TagShares(kHugeJob)};
    Lane* lane = nullptr;
    ReceivingWatcher first({7, MPI_ANY_SOURCE, 5}, lane);
    ReceivingWatcher second({7, MPI_ANY_SOURCE, 5}, lane);
    ASSERT_TRUE(matcher.watch(first));
    ASSERT_TRUE(matcher.watch(second));
    std::deque<Message> others(static_cast<std::size_t>(pile));
    for (Message& other : others) {
      other.key = {7, 3, 4};
      matcher.arrive(other.key, [&](LaneHeld) { return &other; });
    }
    auto* const message = new Message;
    message->key = {7, 3, 5};
    matcher.arrive(message->key, [&](LaneHeld kept_in) {
      lane = &*kept_in;
      return message;
    });
    ASSERT_EQ(first.told, 1);
    ASSERT_EQ(second.told, 1) << "after " << pile << " others";
    if (!first.received && !second.received) {
      ASSERT_EQ(matcher.take({7, 3, 5}), message);
      delete message;
    }
    drop_everything(matcher);
  }
}

}  // namespace
}  // namespace heddle::match
