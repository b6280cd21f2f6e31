#include "exec/ult/run/run_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace heddle::ult {
namespace {

// Ults named a, b, c and so on. Their worker is played by the test: turns, looks and ticks come when it says so.
class RunQueueTest : public ::testing::Test {
 protected:
  RunQueueTest() {
    for (Ult& ult : ults_) ult.context.thread_pointer = &ult;  // pop() asks for the memory below it
  }
  Ult& ult(char name) { return ults_[static_cast<std::size_t>(name - 'a')]; }
  void wake(const char* names) {
    for (; *names != '\0'; ++names) queue_.push_woken(ult(*names));
  }
  void yield(const char* names) {
    for (; *names != '\0'; ++names) queue_.push_yielded(ult(*names));
  }
  void compute(const char* names) {
    for (const char* name = names; *name != '\0'; ++name) ult(*name).turn.computes = true;
    yield(names);
  }
  char next() {
    Ult* const popped = queue_.pop();
    return popped == nullptr ? '-' : static_cast<char>('a' + (popped - ults_.data()));
  }
  std::string all() {
    std::string order;
    for (char name; (name = next()) != '-';) order += name;
    return order;
  }

  std::array<Ult, 8> ults_;
  RunQueue queue_;
};

TEST_F(RunQueueTest, RunsWokenUltsBeforeThoseThatHaveYielded) {
  compute("a");
  yield("b");
  wake("cd");
  EXPECT_EQ(all(), "cdab");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(RunQueueTest, LetsUltsThatComputeAndThatPollTakeTurns) {
  compute("a");
  yield("bc");
  std::string order;
  for (int turn = 0; turn < 9; ++turn) {
    order += next();
    queue_.push_yielded(ult(order.back()));
  }
  EXPECT_EQ(order, "abcabcabc");
}

// A message that goes round: each ult wakes the next one, and waits.
TEST_F(RunQueueTest, DoesNotLetAMessageWaitForAComputingUltAtEachHop) {
  compute("a");
  wake("b");
  std::string order;
  for (int hop = 0; hop < 6; ++hop) {
    order += next();
    queue_.push_woken(ult(static_cast<char>(order.back() == 'd' ? 'b' : order.back() + 1)));
  }
  EXPECT_EQ(order, "bcdbcd");
}

TEST_F(RunQueueTest, GivesComputingUltsATurnEachATickBesideUltsThatWakeEachOther) {
  compute("ab");
  wake("c");
  std::array<int, 8> turns{};
  constexpr int kTicks = 30, kTurnsATick = 1000;
  for (int tick = 0; tick < kTicks; ++tick) {
    for (int turn = 0; turn < kTurnsATick; ++turn) {
      const char name = next();
      ++turns[static_cast<std::size_t>(name - 'a')];
      if (ult(name).turn.computes) {
        queue_.push_yielded(ult(name));
      } else {
        queue_.push_woken(ult(name == 'c' ? 'd' : 'c'));
      }
    }
    queue_.pass_pollers();
    queue_.pass_all();
  }
  EXPECT_EQ(turns[0], kTicks - 1);
  EXPECT_EQ(turns[1], kTicks - 1);
  EXPECT_GT(turns[2] + turns[3], kTicks * (kTurnsATick - 3));
}

TEST_F(RunQueueTest, LetsUltsThatPollRunAtEachLookAndNoneThatComputes) {
  yield("ab");
  compute("c");
  yield("d");
  wake("e");
  queue_.pass_pollers();
  wake("f");
  EXPECT_EQ(all(), "eabfcd");
}

TEST_F(RunQueueTest, TakesOverWholeLists) {
  UltQueue thawed;
  thawed.push(ult('b'));
  thawed.push(ult('c'));
  compute("a");
  wake("d");
  queue_.push_woken(thawed);
  EXPECT_TRUE(thawed.empty());
  EXPECT_EQ(all(), "dbca");
}

TEST_F(RunQueueTest, NoticesUnsoundUltsInBothLists) {
  wake("ab");
  compute("c");
  const auto sound = [](const Ult& one) { return one.state == State::kCreated; };
  EXPECT_TRUE(queue_.is_valid(2, sound));
  EXPECT_FALSE(queue_.is_valid(1, sound));
  for (const char name : {'a', 'c'}) {
    ult(name).state = State::kParked;
    EXPECT_FALSE(queue_.is_valid(2, sound));
    ult(name).state = State::kCreated;
  }
}

}  // namespace
}  // namespace heddle::ult
