#include "runtime/judge/still_rounds.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
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

TEST(StillRounds, AHostWhoseUltsHaveTakenStepsHasNotStoodStill) {
  StillRounds rounds(2);
  rounds.take(0, {0, {1, 1}, 7});
  EXPECT_EQ(rounds.take(1, {0, {1, 1}, 5}), Then::kAsk);
  EXPECT_EQ(rounds.take(1, {1, {1, 1}, 6}), Then::kNothing);
  EXPECT_EQ(rounds.take(0, {1, {1, 1}, 7}), Then::kAsk);
  EXPECT_EQ(rounds.take(0, {2, {1, 1}, 7}), Then::kNothing);
  EXPECT_EQ(rounds.take(1, {2, {1, 1}, 6}), Then::kProven);
}

TEST(StillRounds, WaitForEachWaitThatAsksToDoSoInThisRound) {
  StillRounds rounds(2);
  rounds.take(0, {0, {1, 1}, 7, 0});
  EXPECT_EQ(rounds.take(1, {0, {1, 1}, 5}), Then::kAsk);
  EXPECT_EQ(rounds.take(1, {1, {1, 1}, 5}), Then::kNothing);
  EXPECT_EQ(rounds.take(0, {1, {1, 1}, 7, 0}), Then::kNothing);  // it asked before the question
  EXPECT_EQ(rounds.take(0, {1, {1, 1}, 7, 1}), Then::kProven);
}

TEST(OwnRound, NeedsOneMomentWhereNothingAsks) {
  std::atomic<std::uint64_t> question{0};
  OwnRound round(question);
  EXPECT_TRUE(round.is_proven(3, StillWord::kNothingIsAsked));
  EXPECT_EQ(question, 0u);
}

TEST(OwnRound, NeedsAnswersBetweenTwoMomentsWithTheSameSteps) {
  std::atomic<std::uint64_t> question{4};
  OwnRound round(question);
  EXPECT_FALSE(round.is_proven(3, 4));
  EXPECT_EQ(question, 5u);
  EXPECT_FALSE(round.is_proven(3, 4));
  EXPECT_EQ(question, 5u);
  EXPECT_FALSE(round.is_proven(8, 5));  // a ult has gone on
  EXPECT_EQ(question, 6u);
  EXPECT_FALSE(round.is_proven(8, 5));
  EXPECT_TRUE(round.is_proven(8, 6));
}

TEST(OwnRound, WaitsForTheNumberThatItHasGivenWhenOthersAskToo) {
  std::atomic<std::uint64_t> question{0};
  OwnRound one(question), other(question);
  EXPECT_FALSE(one.is_proven(3, 0));
  EXPECT_FALSE(other.is_proven(3, 0));
  EXPECT_EQ(question, 2u);
  EXPECT_FALSE(other.is_proven(3, 1));
  EXPECT_TRUE(one.is_proven(3, 1));
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
    // Its ult waits for the next host's, and asks whether that one is in another call: then the wait ends. Each wait is a phase.
    std::uint64_t steps = 0, answered = 0;
    bool is_in_other_call = false;
    bool asks = false;
    std::uint64_t asked_in = 0;
    enum class Answer { kNone, kAgreement, kMismatch } answer = Answer::kNone;
  };

  std::size_t below(std::size_t limit) { return dice_() % limit; }

  void step() {
    const std::size_t number = below(hosts_.size());
    Host& host = hosts_[number];
    switch (below(7)) {
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
        if (!host.runs) return;
        host.runs = false;
        ++host.steps;
        host.answered = 0;
        host.asks = false;
        host.answer = Host::Answer::kNone;
        host.is_in_other_call = left_ != 0 && below(8) == 0;
        return;
      case 3: {
        if (!host.questions.empty()) {
          host.asked = host.questions.front();
          host.questions.pop_front();
        }
        const StillWord now{host.asked, host.traffic, host.steps, host.answered};
        const bool has_news = !host.has_said || host.last.round != now.round ||
                              !host.last.has_numbers_of(now) ||
                              (now.is_answer() && !host.last.is_answer());
        if (host.runs || !has_news) return;
        host.has_said = true;
        host.last = now;
        host.words.push_back(host.last);
        return;
      }
      case 4:
        ask_or_hear(host, hosts_[(number + 1) % hosts_.size()]);
        return;
      case 5:  // the answer is on its way back when the other one looks
        if (!host.asks || host.answer != Host::Answer::kNone) return;
        host.answer = hosts_[(number + 1) % hosts_.size()].is_in_other_call
                          ? Host::Answer::kMismatch
                          : Host::Answer::kAgreement;
        return;
      default:
        if (host.words.empty()) return;
        hear(static_cast<int>(number), host.words.front());
        host.words.pop_front();
    }
  }

  static void ask_or_hear(Host& host, Host& next) {
    if (host.runs) return;
    if (!host.asks) {
      host.asks = true;
      host.asked_in = host.asked;
      return;
    }
    if (host.answer == Host::Answer::kNone) return;
    host.asks = false;
    if (host.answer == Host::Answer::kAgreement) {
      host.answered = host.asked_in;
    } else {
      host.runs = true;
      next.is_in_other_call = false;  // not in the next phase
    }
    host.answer = Host::Answer::kNone;
  }

  void hear(int number, const StillWord& word) {
    const Then then = rounds_.take(number, word);
    if (then == Then::kAsk) {
      for (Host& host : hosts_) host.questions.push_back(rounds_.round());
    }
    if (then != Then::kProven) return;
    proven_ = true;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const Host& host = hosts_[i];
      wrong_ |= host.runs || host.under_way != 0;
      wrong_ |= hosts_[(i + 1) % hosts_.size()].is_in_other_call;  // its wait ends yet
    }
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
