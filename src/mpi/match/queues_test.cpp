#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>
#include <utility>

#include "mpi/match/matcher_test_support.h"

namespace heddle::match {
namespace {

struct Receive : PostedReceive {
  int number = 0;
};
struct Message : UnexpectedMessage {
  int number = 0;
};

constexpr int kNothing = ListOracle::kNothing;

// Both queues, as one strand uses them; some of the messages are still in the senders' ring.
class Queues {
 public:
  UnexpectedMessage* post(Receive& receive) {
    take_delivery();
    posted_.number(receive);
    UnexpectedMessage* message = unexpected_.take(receive.key);
    if (message == nullptr) posted_.add(receive);
    return message;
  }
  PostedReceive* arrive(const Key& message) { return posted_.take(message); }
  void keep(UnexpectedMessage& message) {
    fresh_.push(message);
    ++fresh_count_;
  }
  UnexpectedMessage* peek(const Pattern& wanted) {
    take_delivery();
    return unexpected_.peek(wanted);
  }
  UnexpectedMessage* take(const Pattern& wanted) {
    take_delivery();
    return unexpected_.take(wanted);
  }
  bool cancel(PostedReceive& receive) { return posted_.cancel(receive); }
  bool cancel(UnexpectedMessage& message) {
    take_delivery();
    return unexpected_.cancel(message);
  }
  bool empty() const { return posted_.empty() && fresh_.empty() && unexpected_.empty(); }
  bool is_valid() const {
    return posted_.is_valid() && fresh_.is_valid(fresh_count_) && unexpected_.is_valid();
  }

 private:
  void take_delivery() {
    unexpected_.take_over(fresh_, fresh_count_);
    fresh_count_ = 0;
  }
  PostedQueue posted_;
  MessageRing fresh_;
  std::uint64_t fresh_count_ = 0;
  UnexpectedQueue unexpected_;
};

struct Ranges {
  int contexts, sources, tags;
  double wildcard;
};

void compare_with_oracle(const Ranges& ranges, int steps, unsigned seed) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
  Queues queues;
  ListOracle oracle;
  const auto number_of = [](const auto* got) { return got != nullptr ? got->number : kNothing; };
  std::deque<Receive> receives;
  std::deque<Message> messages;
  // Swings between more posts and more arrivals, so that both queues get long.
  for (int step = 0; step < steps; ++step) {
    const bool posting_phase = (step / 500) % 2 == 0;
    Key key{static_cast<MatchContext>(below(ranges.contexts)), below(ranges.sources),
            below(ranges.tags)};
    if (chance(posting_phase ? 0.7 : 0.3)) {
      if (chance(ranges.wildcard)) key.source = MPI_ANY_SOURCE;
      if (chance(ranges.wildcard)) key.tag = MPI_ANY_TAG;
      const int expected = oracle.oldest(key);
      if (chance(0.3)) {  // it sorts what receives would leave unsorted
        ASSERT_EQ(number_of(static_cast<Message*>(queues.peek(key))), expected);
      }
      Receive& receive = receives.emplace_back();
      receive.key = key;
      receive.number = static_cast<int>(receives.size()) - 1;
      ASSERT_EQ(number_of(static_cast<Message*>(queues.post(receive))), expected);
      if (expected == kNothing) {
        oracle.post(key, receive.number);
      } else {
        oracle.remove_message(expected);
      }
    } else {
      Message& message = messages.emplace_back();
      message.key = key;
      message.number = static_cast<int>(messages.size()) - 1;
      const auto* got = static_cast<Receive*>(queues.arrive(key));
      ASSERT_EQ(number_of(got), oracle.arrive(key));
      if (got == nullptr) {
        queues.keep(message);
        oracle.keep(key, message.number);
      }
    }
    if (!receives.empty() && chance(0.1)) {
      const int victim = below(static_cast<int>(receives.size()));
      ASSERT_EQ(queues.cancel(receives[static_cast<size_t>(victim)]),
                oracle.remove_receive(victim));
    }
    if (!messages.empty() && chance(0.02)) {
      const int victim = below(static_cast<int>(messages.size()));
      ASSERT_EQ(queues.cancel(messages[static_cast<size_t>(victim)]),
                oracle.remove_message(victim));
    }
    ASSERT_EQ(queues.empty(), oracle.empty());
    if (chance(0.05)) {
      ASSERT_TRUE(queues.is_valid());
    }
  }
  for (Message& message : messages) queues.cancel(message);
}

TEST(Queues, AgreesWithAListScanWhenEverythingCollides) {
  compare_with_oracle({1, 1, 2, 0.3}, 20000, fresh_seed());
}

TEST(Queues, AgreesWithAListScanWithFewKeysAndManyWildcards) {
  compare_with_oracle({2, 3, 3, 0.5}, 20000, fresh_seed());
}

TEST(Queues, AgreesWithAListScanWhenTheTableGrows) {
  compare_with_oracle({3, 40, 60, 0.02}, 20000, fresh_seed());
}

TEST(Queues, AgreesWithAListScanWithoutWildcards) {
  compare_with_oracle({2, 4, 4, 0.0}, 20000, fresh_seed());
}

TEST(Queues, KeepsTheOrderOfOneSenderUnderAWildcard) {
  Queues queues;
  Message first, other, second;
  first.key = second.key = {7, 1, 5};
  other.key = {7, 1, 6};
  queues.keep(first);
  queues.keep(other);
  queues.keep(second);
  EXPECT_EQ(queues.take({7, MPI_ANY_SOURCE, 5}), &first);
  EXPECT_EQ(queues.take({7, MPI_ANY_SOURCE, MPI_ANY_TAG}), &other);
  EXPECT_EQ(queues.take({7, 1, 5}), &second);
  EXPECT_TRUE(queues.empty());
}

TEST(Queues, TheReceiveThatWasPostedFirstWins) {
  Queues queues;
  Receive exact, anything;
  anything.key = {7, MPI_ANY_SOURCE, MPI_ANY_TAG};
  exact.key = {7, 1, 5};
  EXPECT_EQ(queues.post(anything), nullptr);
  EXPECT_EQ(queues.post(exact), nullptr);
  EXPECT_EQ(queues.arrive({7, 1, 5}), &anything);
  EXPECT_EQ(queues.arrive({7, 1, 6}), nullptr);
  EXPECT_EQ(queues.arrive({8, 1, 5}), nullptr);
  EXPECT_EQ(queues.arrive({7, 1, 5}), &exact);
}

TEST(PostedQueue, NoticesAReceiveThatIsNotInPostingOrder) {
  PostedQueue queue;
  std::array<Receive, 3> receives;
  for (Receive& receive : receives) {
    receive.key = {7, 1, 5};
    queue.number(receive);
    queue.add(receive);
  }
  EXPECT_TRUE(queue.is_valid());
  const std::uint64_t order = std::exchange(receives[1].order, receives[2].order);
  EXPECT_FALSE(queue.is_valid());
  receives[1].order = order;
  EXPECT_TRUE(queue.is_valid());
}

TEST(PostedQueue, NoticesAReceiveThatWantsAnythingNow) {
  PostedQueue queue;
  Receive receive;
  receive.key = {7, 1, 5};
  queue.number(receive);
  queue.add(receive);
  receive.key.tag = MPI_ANY_TAG;
  EXPECT_FALSE(queue.is_valid());
}

TEST(PostedQueue, NoticesALinkThatLeadsAstray) {
  PostedQueue queue;
  std::array<Receive, 3> receives;
  for (Receive& receive : receives) {
    receive.key = {7, 1, 5};
    queue.number(receive);
    queue.add(receive);
  }
  for (KeyedNode* wrong : {static_cast<KeyedNode*>(nullptr), static_cast<KeyedNode*>(&receives[0]),
                           static_cast<KeyedNode*>(&receives[1])}) {
    KeyedNode* const right = std::exchange(receives[1].younger, wrong);
    EXPECT_FALSE(queue.is_valid());
    receives[1].younger = right;
  }
  EXPECT_TRUE(queue.is_valid());
}

TEST(MessageRing, NoticesThatItHasNotTheLengthItShould) {
  MessageRing ring;
  std::array<Message, 3> messages;
  EXPECT_TRUE(ring.is_valid(0));
  for (Message& message : messages) ring.push(message);
  EXPECT_TRUE(ring.is_valid(3));
  EXPECT_FALSE(ring.is_valid(2));
  EXPECT_FALSE(ring.is_valid(4));
  messages[0].younger = nullptr;
  EXPECT_FALSE(ring.is_valid(3));
}

// A queue that gets `messages`, in batches.
class Batches {
 public:
  UnexpectedQueue queue;

  void take_over(int first, int count) {
    MessageRing ring;
    for (int i = first; i < first + count; ++i) {
      messages_[static_cast<std::size_t>(i)].key = {7, 1, i};
      ring.push(messages_[static_cast<std::size_t>(i)]);
    }
    queue.take_over(ring, static_cast<std::uint64_t>(count));
  }
  void take(int tag) { ASSERT_NE(queue.take({7, 1, tag}), nullptr) << tag; }

  Message& message(int tag) { return messages_[static_cast<std::size_t>(tag)]; }

 private:
  std::array<Message, 400> messages_;
};

TEST(UnexpectedQueue, NoticesAMessageThatIsNoLongerWhereItWasSorted) {
  Batches batches;
  batches.take_over(0, 10);
  batches.take(5);
  EXPECT_TRUE(batches.queue.is_valid());
  Message& message = batches.message(3);
  IntrusiveList<UnexpectedMessage>::erase(message);
  EXPECT_FALSE(batches.queue.is_valid());
}

TEST(UnexpectedQueue, KnowsWhetherReceivesComeInTheOrderOfTheMessages) {
  Batches batches;
  batches.take_over(0, 10);
  for (int tag = 0; tag < 10; ++tag) batches.take(tag);
  batches.take_over(10, 10);
  EXPECT_FALSE(batches.queue.out_of_order());
  batches.take(15);  // one that has to be searched for
  EXPECT_FALSE(batches.queue.out_of_order());
  batches.take_over(20, 100);
  EXPECT_TRUE(batches.queue.out_of_order());
  batches.take(10);
  batches.take_over(120, 1);
  EXPECT_TRUE(batches.queue.out_of_order()) << "one in order is not enough";
  for (int tag : {11, 12, 13, 14, 16, 17, 18, 19}) batches.take(tag);
  for (int tag = 20; tag < 110; ++tag) batches.take(tag);
  batches.take_over(121, 100);
  EXPECT_FALSE(batches.queue.out_of_order());
  batches.queue.sort_all();  // by the sender
  for (int tag = 110; tag < 130; ++tag) batches.take(tag);
  batches.take_over(221, 1);
  EXPECT_FALSE(batches.queue.out_of_order());
  batches.take(131);  // sorted already, and not the oldest
  batches.take_over(222, 1);
  EXPECT_TRUE(batches.queue.out_of_order());
  while (batches.queue.take({7, 1, MPI_ANY_TAG}) != nullptr) {
  }
}

}  // namespace
}  // namespace heddle::match
