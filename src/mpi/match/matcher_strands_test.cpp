// The matcher with many strands at once, against what must hold in every schedule.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "base/test_yields.h"
#include "mpi/match/matcher_test_support.h"

namespace heddle::match {
namespace {

// Each sender numbers its messages of each match context; the number and the sender stand in the message.
struct Sent : UnexpectedMessage {
  inline void delivered_to(PostedReceive& receive);
  void copied() {}

  int sender = 0;
  int number = 0;
};
struct Wanted : PostedReceive {
  std::atomic<const Sent*> got{nullptr};
};
inline void Sent::delivered_to(PostedReceive& receive) {
  static_cast<Wanted&>(receive).got.store(this);
}
using Mail = AddressMail<Sent>;

struct Mix {
  unsigned tags = 5;
  bool wild = true;  // with wildcards, probes and cancels
  TagShares shares = kShares;
  bool by_ring = false;   // among the messages, and attended receives
  unsigned rare = 3;      // one in so many is a wildcard, a probe, a cancellation
  bool gives_up = false;  // lanes, whenever they are idle
};

class Storm {
 public:
  static constexpr int kSenders = 3, kReceivers = 3;

  Storm(unsigned seed, int each, const Mix& mix)
      : seed_(seed), each_(each), mix_(mix), matcher_(mix.shares, &mail_) {}

  // Returns how many messages went as ring messages.
  int run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < kSenders; ++i) threads.emplace_back([this, i] { send(i); });
    for (int i = 0; i < kReceivers; ++i) threads.emplace_back([this, i] { receive(i); });
    std::thread giver([this] {
      RandomYields::seed(seed_ + 200);
      while (mix_.gives_up && receiving_ != 0) {
        matcher_.forget_idle(1);
        std::this_thread::yield();
      }
    });
    for (std::thread& thread : threads) thread.join();
    giver.join();
    check();
    return lines_;
  }

 private:
  // Senders 0 and 1 are threads of one rank.
  static int source_of(int sender) { return sender / 2; }

  void send(int sender) {
    std::mt19937 tags(seed_ + static_cast<unsigned>(sender)), random(seed_ + 50 + tags());
    RandomYields::seed(random());
    for (int i = 0; i < each_; ++i) {
      Sent& message = sent_[sender].emplace_back();
      message.sender = sender;
      message.number = i;
      message.key = {1, source_of(sender), static_cast<int>(tags() % mix_.tags)};
      ++sent_so_far_;
      while (mix_.by_ring && sent_so_far_ > posted_so_far_ && receiving_ != 0) {
        std::this_thread::yield();  // by_ring come while receives wait
      }
      if (mix_.by_ring && random() % 8 != 0 && Mail::leave(matcher_, message)) {
        ++lines_;
        continue;
      }
      PostedReceive* to = matcher_.arrive(message.key, [&](LaneHeld) { return &message; });
      if (to != nullptr) static_cast<Wanted*>(to)->got.store(&message);
    }
  }

  void receive(int receiver) {
    std::mt19937 tags(seed_ + static_cast<unsigned>(receiver)), random(seed_ + 100 + tags());
    RandomYields::seed(random());
    for (int i = 0; i < kSenders * each_ / kReceivers; ++i) {
      Wanted& wanted = posted_[receiver].emplace_back();
      wanted.key = {1, static_cast<int>(random() % 2), static_cast<int>(random() % mix_.tags)};
      // Ring messages come where nothing is left over, so most receives want what one sender sends.
      if (mix_.by_ring) wanted.key = {1, source_of(receiver), static_cast<int>(tags() % mix_.tags)};
      if (mix_.wild && random() % mix_.rare == 0) wanted.key.source = MPI_ANY_SOURCE;
      if (mix_.wild && random() % mix_.rare == 0) wanted.key.tag = MPI_ANY_TAG;
      const bool attended = mix_.by_ring && random() % 8 != 0;
      if (attended && !is_wildcard(wanted.key)) ripen(matcher_, wanted.key);
      matcher_.post(
          wanted, attended,
          [&](UnexpectedMessage& message) {
            wanted.got.store(static_cast<Sent*>(&message));
            return false;
          },
          [&](const EagerSlot& slot) { wanted.got.store(&Mail::message_of(slot)); });
      ++posted_so_far_;
      if (mix_.by_ring) attend(posted_[receiver], random);
      if (mix_.wild && random() % (mix_.rare + 1) == 0) {
        Matcher::cancel(posted_[receiver][random() % posted_[receiver].size()]);
      }
      Envelope found;
      if (mix_.wild && random() % (mix_.rare + 1) == 0)
        matcher_.peek({1, MPI_ANY_SOURCE, MPI_ANY_TAG}, &found);
      if (random() % 32 == 0) {
        EXPECT_TRUE(matcher_.is_valid());
      }
    }
    --receiving_;
    // No strand attends them any more.
    for (Wanted& wanted : posted_[receiver]) {
      if (wanted.got.load() == nullptr && wanted.lane != nullptr) {
        Matcher::close_ring(*wanted.lane);
      }
    }
  }

  // As a strand does that waits for one of its receives: it looks for a ring message, and may park.
  static void attend(std::deque<Wanted>& mine, std::mt19937& random) {
    Wanted& wanted = mine[mine.size() - 1 - random() % std::min<std::size_t>(mine.size(), 4)];
    if (wanted.got.load() != nullptr || wanted.lane == nullptr) return;
    Matcher::read_ring(*wanted.lane);
    if (random() % 16 == 0) Matcher::close_ring(*wanted.lane);
  }

  void check() {
    // A ring may have stayed open after the last receive.
    Envelope found;
    for (int source = 0; source < 2; ++source) {
      for (unsigned tag = 0; tag < mix_.tags; ++tag) {
        matcher_.peek({1, source, static_cast<int>(tag)}, &found);
      }
    }
    EXPECT_TRUE(matcher_.is_valid());
    std::set<const Sent*> received;
    for (auto& mine : posted_) {
      for (Wanted& wanted : mine) {
        const Sent* got = wanted.got.load();
        if (got == nullptr) continue;
        EXPECT_TRUE(fits(wanted.key, got->key));
        EXPECT_TRUE(received.insert(got).second) << "received twice";
      }
      check_order(mine);
    }
    // I1: what is left on one side fits nothing that is left on the other.
    for (auto& messages : sent_) {
      for (Sent& message : messages) {
        EXPECT_NE(message.queued(), received.contains(&message));
        for (auto& mine : posted_) {
          for (Wanted& wanted : mine) {
            EXPECT_FALSE(message.queued() && wanted.queued() && fits(wanted.key, message.key));
          }
        }
      }
    }
    for (auto& mine : posted_) {
      for (Wanted& wanted : mine) check_nothing_was_overtaken(wanted);
    }
    drop_everything(matcher_);
    for (auto& mine : posted_) {
      for (Wanted& wanted : mine) Matcher::cancel(wanted);
    }
  }

  // No earlier message of that sender is left which the receive could have had.
  void check_nothing_was_overtaken(const Wanted& wanted) {
    const Sent* got = wanted.got.load();
    if (got == nullptr) return;
    for (const Sent& earlier : sent_[static_cast<std::size_t>(got->sender)]) {
      if (&earlier == got) return;
      EXPECT_FALSE(earlier.queued() && fits(wanted.key, earlier.key));
    }
  }

  // Of two receives of one strand, the earlier gets the earlier of two messages of one sender if it
  // could have had either.
  static void check_order(const std::deque<Wanted>& mine) {
    for (std::size_t second = 0; second < mine.size(); ++second) {
      const Sent* late = mine[second].got.load();
      if (late == nullptr) continue;
      for (std::size_t first = 0; first < second; ++first) {
        const Sent* early = mine[first].got.load();
        if (early == nullptr || early->sender != late->sender) continue;
        EXPECT_TRUE(!fits(mine[first].key, late->key) || early->number < late->number);
      }
    }
  }

  const unsigned seed_;
  const int each_;
  const Mix mix_;
  Mail mail_;
  Matcher matcher_;
  std::atomic<int> lines_{0}, sent_so_far_{0}, posted_so_far_{0}, receiving_{kReceivers};
  std::array<std::deque<Sent>, kSenders> sent_;
  std::array<std::deque<Wanted>, kReceivers> posted_;
};

void run_storms(const Mix& mix) {
  const RandomYields yields;
  int by_ring = 0;
  for (const unsigned seed : TestSeeds(fresh_seed(), kSanitized ? 8 : 40)) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    by_ring += Storm(seed, TestSeeds::rounds(300), mix).run();
    if (::testing::Test::HasFailure()) return;
  }
  // Whether some went so is a matter of time; matcher_test.cpp has those that do for certain.
  if (mix.by_ring) {
    ::testing::Test::RecordProperty("eager_ring", by_ring);
  } else {
    EXPECT_EQ(by_ring, 0);
  }
}

const TagShares kOneShare(TagShares::kLanesOfContext);

TEST(Matcher, KeepsItsPromisesWithManyStrandsAtOnce) {
  run_storms({});
}

// Receivers search what others have taken over, and find it is another tag's.
TEST(Matcher, KeepsItsPromisesWhereAllTagsShareALane) {
  ASSERT_EQ(kOneShare.count(), 1u);
  run_storms({.shares = kOneShare});
}

// Receivers take messages from the stock and others' deliveries, and no sender sorts for them.
TEST(Matcher, KeepsItsPromisesWithTwoTagsAndNoWildcards) {
  run_storms({.tags = 2, .wild = false, .shares = kOneShare});
}

TEST(Matcher, KeepsItsPromisesWithRings) {
  run_storms({.by_ring = true, .rare = 40});
  run_storms({.shares = kOneShare, .by_ring = true, .rare = 40});
  run_storms({.tags = 2, .wild = false, .by_ring = true});
}

// A communicator's lanes are given up whenever they are idle, while messages come and strands hold their addresses.
TEST(Matcher, KeepsItsPromisesWhileLanesAreGivenUp) {
  run_storms({.gives_up = true});
  run_storms({.tags = 2, .wild = false, .by_ring = true, .gives_up = true});
}

// Brings two threads to the same point at the same time, many times.
class Meeting {
 public:
  void wait(int round) {
    arrived_.fetch_add(1);
    for (int spins = 0; arrived_.load() < 2 * (round + 1); ++spins) {
      if (spins > 1000) std::this_thread::yield();
    }
  }

 private:
  std::atomic<int> arrived_{0};
};

// The handshake of matcher.h, where the lane has never been listed.
TEST(Matcher, ALanesFirstMessageAndAReceiveFromAnySourceDoNotMissEachOther) {
  const int rounds = TestSeeds::rounds(kSanitized ? 2'000 : 20'000);
  Matcher matcher{kShares};
  Meeting start, end;
  std::deque<UnexpectedMessage> messages(static_cast<std::size_t>(rounds));
  std::deque<Wanted> receives(static_cast<std::size_t>(rounds));
  std::thread sender([&] {
    for (int i = 0; i < rounds; ++i) {
      UnexpectedMessage& message = messages[static_cast<std::size_t>(i)];
      message.key = {static_cast<MatchContext>(i + 1), 1, 5};
      start.wait(i);
      matcher.arrive(message.key, [&](LaneHeld) { return &message; });
      end.wait(i);
    }
  });
  int missed = 0;
  for (int i = 0; i < rounds; ++i) {
    Wanted& receive = receives[static_cast<std::size_t>(i)];
    receive.key = {static_cast<MatchContext>(i + 1), MPI_ANY_SOURCE, i % 2 == 0 ? 5 : MPI_ANY_TAG};
    start.wait(i);
    matcher.post(receive, [](UnexpectedMessage&) { return false; });
    end.wait(i);
    missed += receive.queued();
    Matcher::cancel(receive);
    matcher.forget(static_cast<MatchContext>(i + 1));
  }
  sender.join();
  EXPECT_EQ(missed, 0);
  drop_everything(matcher);
}

// A message that finds no memory lists its lane and leaves it empty.
TEST(Matcher, ALaneThatIsGivenUpIsInNoList) {
  const int arrivals = TestSeeds::rounds(kSanitized ? 50'000 : 200'000);
  Matcher matcher{kShares};
  std::atomic<bool> over{false};
  std::thread sender([&] {
    for (int i = 0; i < arrivals; ++i) {
      matcher.arrive({1, 1, i % 2}, [](LaneHeld) { return nullptr; });
    }
    over = true;
  });
  while (!over) matcher.forget(1);
  sender.join();
  matcher.forget(1);
  const Matcher::Lengths lengths = matcher.lengths();
  EXPECT_EQ(lengths.listed_lanes, 0u);
  EXPECT_LE(lengths.lanes, 3u);
}

// A probe of any tag looks at the lanes one after the other; it takes its time where other sources'
// messages wait. Its source sends to two lanes meanwhile.
TEST(Matcher, AProbeOfAnyTagFindsNoMessageBeforeAnEarlierOne) {
  const int pairs = TestSeeds::rounds(kSanitized ? 2'000 : 5'000);
  constexpr int kOthers = 300;
  Matcher matcher{kShares};
  std::deque<UnexpectedMessage> waiting(kOthers);
  for (int i = 0; i < kOthers; ++i) {
    waiting[static_cast<std::size_t>(i)].key = {1, 2 + i, 0};
    matcher.arrive({1, 2 + i, 0}, [&](LaneHeld) { return &waiting[static_cast<std::size_t>(i)]; });
  }
  std::deque<Sent> messages(2 * static_cast<std::size_t>(pairs));
  std::atomic<int> taken{0};
  std::thread sender([&] {
    for (int i = 0; i < 2 * pairs; ++i) {
      Sent& message = messages[static_cast<std::size_t>(i)];
      message.number = i;
      message.key = {1, 1, i % 2};
      matcher.arrive(message.key, [&](LaneHeld) { return &message; });
      while (i % 2 == 1 && taken.load() <= i) std::this_thread::yield();
    }
  });
  int overtaken = 0;
  while (taken.load() < 2 * pairs) {
    auto* message = static_cast<Sent*>(matcher.take({1, 1, MPI_ANY_TAG}));
    if (message == nullptr) {
      std::this_thread::yield();
      continue;
    }
    overtaken += message->number != taken.load();
    taken.fetch_add(1);
  }
  sender.join();
  EXPECT_EQ(overtaken, 0);
  drop_everything(matcher);
}

}  // namespace
}  // namespace heddle::match
