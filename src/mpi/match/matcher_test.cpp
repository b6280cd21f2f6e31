// The matcher against the rules of §3.5 in their plainest form, one operation at a time.

#include "mpi/match/matcher.h"

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <memory>
#include <random>
#include <set>
#include <thread>

#include "mpi/match/matcher_test_support.h"

namespace heddle::match {
namespace {

struct Receive : PostedReceive {
  int number = 0;
};
struct Message : UnexpectedMessage {
  int number = 0;
};

constexpr int kNothing = -1;

// Two lists, scanned from the oldest on. Which source a receive from any source takes a message of
// is open: the oldest that fits of each source is right.
class Oracle {
 public:
  void post(const Pattern& wanted, int number) { receives_.emplace_back(wanted, number); }
  void keep(const Key& message, int number) { messages_.emplace_back(message, number); }

  // The receive that this message belongs to, taken out.
  int arrive(const Key& message) {
    for (auto it = receives_.begin(); it != receives_.end(); ++it) {
      if (agrees(it->first, message)) return take(receives_, it);
    }
    return kNothing;
  }
  bool may_get(const Pattern& wanted, int number) const {
    std::set<int> sources;
    for (const auto& [key, candidate] : messages_) {
      if (!agrees(wanted, key) || !sources.insert(key.source).second) continue;
      if (candidate == number) return true;
    }
    return number == kNothing && sources.empty();
  }
  bool remove_message(int number) { return remove(messages_, number); }
  bool remove_receive(int number) { return remove(receives_, number); }

 private:
  using List = std::list<std::pair<Key, int>>;
  static bool agrees(const Pattern& wanted, const Key& message) {
    if (wanted.scope != message.scope) return false;
    if (wanted.source != MPI_ANY_SOURCE && wanted.source != message.source) return false;
    return wanted.tag == MPI_ANY_TAG || wanted.tag == message.tag;
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
  int processes = 2;  // of the job
};

class Comparison {
 public:
  Comparison(const Ranges& ranges, unsigned seed) : ranges_(ranges), random_(seed) {}
  ~Comparison() { drop_everything(matcher_); }

  // Swings between more posts and more arrivals, so that both queues get long.
  void step(int number) {
    const bool posting_phase = (number / 500) % 2 == 0;
    if (chance(posting_phase ? 0.7 : 0.3)) {
      post();
    } else {
      arrive();
    }
    if (chance(0.1)) cancel_one();
    if (chance(0.05)) take_one();
    if (chance(0.01)) matcher_.forget(static_cast<ScopeId>(1 + below(ranges_.scopes)));
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  Key any_key() {
    return {static_cast<ScopeId>(1 + below(ranges_.scopes)), below(ranges_.sources),
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
    Envelope found;
    const bool peeked = matcher_.peek(wanted, &found);
    Receive& receive = receives_.emplace_back();
    receive.key = wanted;
    receive.number = static_cast<int>(receives_.size()) - 1;
    int got = kNothing;
    Key got_key;
    const bool matched = matcher_.post(receive, [&](UnexpectedMessage& message) {
      got = static_cast<Message&>(message).number;
      got_key = message.key;
      return false;
    });
    ASSERT_EQ(matched, got != kNothing);
    ASSERT_EQ(peeked, matched);
    if (peeked) {
      ASSERT_EQ(found.key, got_key);
    }
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
    PostedReceive* got = matcher_.arrive(message.key, [&](Lane&) { return &message; });
    const int expected = oracle_.arrive(message.key);
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
      ASSERT_EQ(Matcher::cancel(messages_[static_cast<std::size_t>(victim)]),
                oracle_.remove_message(victim));
    }
  }

  void take_one() {
    const Pattern wanted = any_pattern();
    auto* taken = static_cast<Message*>(matcher_.take(wanted));
    const int number = taken != nullptr ? taken->number : kNothing;
    ASSERT_TRUE(oracle_.may_get(wanted, number));
    if (taken != nullptr) oracle_.remove_message(number);
  }

  const Ranges ranges_;
  std::mt19937 random_;
  Matcher matcher_{TagShares(ranges_.processes)};
  Oracle oracle_;
  std::deque<Receive> receives_;
  std::deque<Message> messages_;
};

void compare_with_oracle(const Ranges& ranges, int steps) {
  const unsigned seed = fresh_seed();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Comparison comparison(ranges, seed);
  for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) comparison.step(i);
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

TEST(Matcher, ServesManyScopesWithTheLanesOfOne) {
  constexpr ScopeId kScopes = kSanitized ? 20'000 : 1'000'000;
  Matcher matcher{kShares};
  for (ScopeId scope = 1; scope <= kScopes; ++scope) {
    Message message;
    message.key = {scope, static_cast<int>(scope % 3), 5};
    ASSERT_EQ(matcher.arrive(message.key, [&](Lane&) { return &message; }), nullptr);
    Receive receive;
    receive.key = {scope, MPI_ANY_SOURCE, MPI_ANY_TAG};
    ASSERT_TRUE(matcher.post(receive, [](UnexpectedMessage&) { return false; }));
    matcher.forget(scope);
  }
  int lanes = 0;
  matcher.for_each_lane([&](Lane&) { ++lanes; });
  EXPECT_EQ(lanes, 2);
}

TEST(Matcher, KeepsTheLaneOfAMessageThatNobodyReceived) {
  Matcher matcher{kShares};
  Message message;
  message.key = {9, 2, 5};
  matcher.arrive(message.key, [&](Lane&) { return &message; });
  matcher.forget(9);
  EXPECT_EQ(matcher.take({9, 2, 5}), &message);
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
      matcher.arrive(keys[i], [&](Lane&) { return &messages[i]; });
      EXPECT_EQ(watcher.told, told[i]);
    }
    CountingWatcher late({7, source, 5});
    EXPECT_FALSE(matcher.watch(late));
    drop_everything(matcher);
  }
}

}  // namespace
}  // namespace heddle::match
