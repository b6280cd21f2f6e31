#include "exec/rank/rank.h"

#include <gtest/gtest.h>

#include <utility>

namespace heddle {
namespace {

struct Counted {
  Counted() noexcept;
  ~Counted() { ++destroyed; }
  void end_with_rank() noexcept {
    ++ended;
    EXPECT_EQ(this, seen);
  }

  static inline int destroyed = 0, ended = 0;
  static inline const Counted* seen = nullptr;
};

const RankLocal<Counted> counted_of_rank;

// Asks for the rank's while this one is made, as another strand may.
Counted::Counted() noexcept {
  static bool asked = false;
  if (!std::exchange(asked, true)) seen = &counted_of_rank.get();
}

TEST(RankLocalTest, OneOfThoseThatAreMadeAtOnceIsTheRanksAndEndsWithIt) {
  {
    Rank rank(0);
    Rank::enter(&rank);
    EXPECT_EQ(&counted_of_rank.get(), Counted::seen);
    EXPECT_EQ(Counted::destroyed, 1);
    EXPECT_EQ(Counted::ended, 0);
    EXPECT_EQ(counted_of_rank.find(), Counted::seen);
  }
  EXPECT_EQ(Counted::destroyed, 2);
  EXPECT_EQ(Counted::ended, 1);
  EXPECT_EQ(Rank::current(), nullptr);
}

}  // namespace
}  // namespace heddle
