#include "mpi/match/match_table.h"

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <memory>
#include <random>

namespace heddle::match {
namespace {

struct Receive : PostedReceive {
  int number = 0;
};
struct Message : UnexpectedMessage {
  int number = 0;
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
  bool cancel(int receive) {
    for (auto it = receives_.begin(); it != receives_.end(); ++it) {
      if (it->second == receive) return receives_.erase(it), true;
    }
    return false;
  }
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
  MatchTable table;
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
      UnexpectedMessage* peeked = table.peek(key);
      ASSERT_EQ(peeked != nullptr ? static_cast<Message*>(peeked)->number : -1, oracle.peek(key));
      Receive& receive = receives.emplace_back();
      receive.key = key;
      receive.number = static_cast<int>(receives.size()) - 1;
      UnexpectedMessage* got = table.post(receive);
      ASSERT_EQ(got != nullptr ? static_cast<Message*>(got)->number : -1,
                oracle.post(key, receive.number));
    } else {
      Message& message = messages.emplace_back();
      message.key = key;
      message.number = static_cast<int>(messages.size()) - 1;
      PostedReceive* got = table.arrive(key);
      if (got == nullptr) table.keep(message);
      ASSERT_EQ(got != nullptr ? static_cast<Receive*>(got)->number : -1,
                oracle.arrive(key, message.number));
    }
    if (!receives.empty() && chance(0.1)) {
      const int victim = below(static_cast<int>(receives.size()));
      ASSERT_EQ(table.cancel(receives[static_cast<size_t>(victim)]), oracle.cancel(victim));
    }
    ASSERT_EQ(table.empty(), oracle.empty());
  }
  while (UnexpectedMessage* left = table.oldest()) table.cancel(*left);
}

unsigned fresh_seed() {
  return std::random_device{}();
}

TEST(MatchTable, AgreesWithAListScanWhenEverythingCollides) {
  compare_with_oracle({1, 1, 2, 0.3}, 20000, fresh_seed());
}

TEST(MatchTable, AgreesWithAListScanWithFewKeysAndManyWildcards) {
  compare_with_oracle({2, 3, 3, 0.5}, 20000, fresh_seed());
}

TEST(MatchTable, AgreesWithAListScanWhenTheTableGrows) {
  compare_with_oracle({3, 40, 60, 0.02}, 20000, fresh_seed());
}

TEST(MatchTable, AgreesWithAListScanWithoutWildcards) {
  compare_with_oracle({2, 4, 4, 0.0}, 20000, fresh_seed());
}

TEST(MatchTable, KeepsTheOrderOfOneSenderUnderAWildcard) {
  MatchTable table;
  Message first, other, second;
  first.key = second.key = {7, 1, 5};
  other.key = {7, 1, 6};
  table.keep(first);
  table.keep(other);
  table.keep(second);
  EXPECT_EQ(table.take({7, MPI_ANY_SOURCE, 5}), &first);
  EXPECT_EQ(table.take({7, MPI_ANY_SOURCE, MPI_ANY_TAG}), &other);
  EXPECT_EQ(table.take({7, 1, 5}), &second);
  EXPECT_TRUE(table.empty());
}

TEST(MatchTable, TheReceiveThatWasPostedFirstWins) {
  MatchTable table;
  Receive exact, anything;
  anything.key = {7, MPI_ANY_SOURCE, MPI_ANY_TAG};
  exact.key = {7, 1, 5};
  EXPECT_EQ(table.post(anything), nullptr);
  EXPECT_EQ(table.post(exact), nullptr);
  EXPECT_EQ(table.arrive({7, 1, 5}), &anything);
  EXPECT_EQ(table.arrive({7, 1, 6}), nullptr);
  EXPECT_EQ(table.arrive({8, 1, 5}), nullptr);
  EXPECT_EQ(table.arrive({7, 1, 5}), &exact);
}

}  // namespace
}  // namespace heddle::match
