#include "runtime/still_rounds.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace heddle::runtime {
namespace {

using Then = StillRounds::Then;

TEST(StillRounds, TwoWordsOfEachWithEqualSumsAreTheProof) {
  StillRounds rounds(2);
  EXPECT_EQ(rounds.take(0, {0, {5, 2}}), Then::kNothing);
  EXPECT_EQ(rounds.take(1, {0, {2, 5}}), Then::kAsk);
  EXPECT_EQ(rounds.take(1, {1, {2, 5}}), Then::kNothing);
  EXPECT_EQ(rounds.take(0, {1, {5, 2}}), Then::kProven);
}

TEST(StillRounds, AsksNothingWhileSomethingIsUnderWay) {
  StillRounds rounds(2);
  EXPECT_EQ(rounds.take(0, {0, {5, 2}}), Then::kNothing);
  EXPECT_EQ(rounds.take(1, {0, {2, 4}}), Then::kNothing);
  EXPECT_EQ(rounds.take(1, {0, {2, 5}}), Then::kAsk);
}

TEST(StillRounds, OtherNumbersEndTheRound) {
  StillRounds rounds(2);
  rounds.take(0, {0, {5, 2}});
  EXPECT_EQ(rounds.take(1, {0, {2, 5}}), Then::kAsk);
  EXPECT_EQ(rounds.take(1, {1, {3, 5}}), Then::kNothing);
  EXPECT_EQ(rounds.take(0, {1, {5, 2}}), Then::kNothing);
  EXPECT_EQ(rounds.take(0, {1, {5, 3}}), Then::kAsk);
  EXPECT_EQ(rounds.round(), 2u);
}

TEST(StillRounds, AWordOfAnEarlierRoundIsNoAnswer) {
  StillRounds rounds(2);
  rounds.take(0, {0, {1, 1}});
  EXPECT_EQ(rounds.take(1, {0, {1, 1}}), Then::kAsk);
  EXPECT_EQ(rounds.take(1, {0, {1, 1}}), Then::kNothing);
  EXPECT_EQ(rounds.take(0, {1, {1, 1}}), Then::kNothing);
  EXPECT_EQ(rounds.take(1, {1, {1, 1}}), Then::kProven);
}

// Hosts that send, handle, fall still and report at random times, with delays. The test sees all of them.
class Job {
 public:
  Job(int hosts, unsigned seed)
      : dice_(seed), rounds_(hosts), hosts_(static_cast<std::size_t>(hosts)) {}

  // True if a proof was found while it was wrong.
  bool is_wrong_after(int steps) {
    for (int i = 0; i < steps && !proven_; ++i) step();
    return wrong_;
  }
  // Nothing is sent any more: there must be a proof.
  bool ends() {
    left_ = 0;
    for (int i = 0; i < 20000 && !proven_; ++i) step();
    return proven_;
  }

 private:
  struct Host {
    bool runs = true;
    transport::Traffic traffic;
    int under_way = 0;  // to it
    std::uint64_t asked = 0;
    std::deque<std::uint64_t> questions;
    std::deque<StillWord> words;  // on their way to host 0
    StillWord last;
    bool has_said = false;
  };

  std::size_t below(std::size_t limit) { return dice_() % limit; }

  void step() {
    const std::size_t number = below(hosts_.size());
    Host& host = hosts_[number];
    switch (below(5)) {
      case 0:
        if (!host.runs || left_ == 0) return;
        --left_;
        ++host.traffic.given;
        ++hosts_[below(hosts_.size())].under_way;
        return;
      case 1:
        if (host.under_way == 0) return;
        --host.under_way;
        ++host.traffic.handled;
        host.runs = true;
        return;
      case 2:
        host.runs = false;
        return;
      case 3: {
        if (!host.questions.empty()) {
          host.asked = host.questions.front();
          host.questions.pop_front();
        }
        const bool has_news =
            !host.has_said || host.last.round != host.asked || host.last.traffic != host.traffic;
        if (host.runs || !has_news) return;
        host.has_said = true;
        host.last = {host.asked, host.traffic};
        host.words.push_back(host.last);
        return;
      }
      default:
        if (host.words.empty()) return;
        hear(static_cast<int>(number), host.words.front());
        host.words.pop_front();
    }
  }

  void hear(int number, const StillWord& word) {
    const Then then = rounds_.take(number, word);
    if (then == Then::kAsk) {
      for (Host& host : hosts_) host.questions.push_back(rounds_.round());
    }
    if (then != Then::kProven) return;
    proven_ = true;
    for (const Host& host : hosts_) wrong_ |= host.runs || host.under_way != 0;
  }

  std::mt19937 dice_;
  StillRounds rounds_;
  std::vector<Host> hosts_;
  int left_ = 200;
  bool proven_ = false, wrong_ = false;
};

TEST(StillRounds, AreRightInJobsAtRandom) {
  int proofs = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Job job(2 + static_cast<int>(seed % 4), seed);
    ASSERT_FALSE(job.is_wrong_after(2000)) << "seed " << seed;
    if (job.ends()) ++proofs;
  }
  EXPECT_EQ(proofs, 2000);
}

}  // namespace
}  // namespace heddle::runtime
