#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <memory>
#include <random>

#include "mpi/match/posted_queue.h"
#include "mpi/match/unexpected_queue.h"

namespace heddle::match {
namespace {

struct Receive : PostedReceive {
  int number = 0;
};
struct Message : UnexpectedMessage {
  int number = 0;
};

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

// The rules of §3.5 in their plainest form: two lists in posting and arrival order, scanned from
// the oldest on.
class Oracle {
 public:
  int post(const Pattern& wanted, int number) {
    for (auto it = messages_.begin(); it != messages_.end(); ++it) {
      if (agrees(wanted, it->first)) return take(messages_, it);
    }
    receives_.emplace_back(wanted, number);
    return -1;
  }
  int arrive(const Key& message, int number) {
    for (auto it = receives_.begin(); it != receives_.end(); ++it) {
      if (agrees(it->first, message)) return take(receives_, it);
    }
    messages_.emplace_back(message, number);
    return -1;
  }
  int peek(const Pattern& wanted) const {
    for (const auto& [key, number] : messages_) {
      if (agrees(wanted, key)) return number;
    }
    return -1;
  }
  bool cancel_receive(int number) { return remove(receives_, number); }
  bool cancel_message(int number) { return remove(messages_, number); }
  bool empty() const { return receives_.empty() && messages_.empty(); }

 private:
  using List = std::list<std::pair<Key, int>>;
  static bool agrees(const Pattern& wanted, const Key& message) {
    if (wanted.scope != message.scope) return false;
    if (wanted.source != -1 && wanted.source != message.source) return false;
    return wanted.tag == -2 || wanted.tag == message.tag;
  }
  static int take(List& list, List::iterator it) {
    const int number = it->second;
    list.erase(it);
    return number;
  }
  static bool remove(List& list, int number) {
    return std::erase_if(list, [=](const auto& entry) { return entry.second == number; }) != 0;
  }
  List receives_, messages_;
};

struct Ranges {
  int scopes, sources, tags;
  double wildcard;
};

void compare_with_oracle(const Ranges& ranges, int steps, unsigned seed) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
  Queues queues;
  Oracle oracle;
  std::deque<Receive> receives;
  std::deque<Message> messages;
  // Swings between more posts and more arrivals, so that both queues get long.
  for (int step = 0; step < steps; ++step) {
    const bool posting_phase = (step / 500) % 2 == 0;
    Key key{static_cast<ScopeId>(below(ranges.scopes)), below(ranges.sources), below(ranges.tags)};
    if (chance(posting_phase ? 0.7 : 0.3)) {
      if (chance(ranges.wildcard)) key.source = MPI_ANY_SOURCE;
      if (chance(ranges.wildcard)) key.tag = MPI_ANY_TAG;
      if (chance(0.3)) {  // it sorts what receives would leave unsorted
        UnexpectedMessage* peeked = queues.peek(key);
        ASSERT_EQ(peeked != nullptr ? static_cast<Message*>(peeked)->number : -1, oracle.peek(key));
      }
      Receive& receive = receives.emplace_back();
      receive.key = key;
      receive.number = static_cast<int>(receives.size()) - 1;
      UnexpectedMessage* got = queues.post(receive);
      ASSERT_EQ(got != nullptr ? static_cast<Message*>(got)->number : -1,
                oracle.post(key, receive.number));
    } else {
      Message& message = messages.emplace_back();
      message.key = key;
      message.number = static_cast<int>(messages.size()) - 1;
      PostedReceive* got = queues.arrive(key);
      if (got == nullptr) queues.keep(message);
      ASSERT_EQ(got != nullptr ? static_cast<Receive*>(got)->number : -1,
                oracle.arrive(key, message.number));
    }
    if (!receives.empty() && chance(0.1)) {
      const int victim = below(static_cast<int>(receives.size()));
      ASSERT_EQ(queues.cancel(receives[static_cast<size_t>(victim)]),
                oracle.cancel_receive(victim));
    }
    if (!messages.empty() && chance(0.02)) {
      const int victim = below(static_cast<int>(messages.size()));
      ASSERT_EQ(queues.cancel(messages[static_cast<size_t>(victim)]),
                oracle.cancel_message(victim));
    }
    ASSERT_EQ(queues.empty(), oracle.empty());
  }
  for (Message& message : messages) queues.cancel(message);
}

unsigned fresh_seed() {
  return std::random_device{}();
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

}  // namespace
}  // namespace heddle::match
