#include "exec/process/own/own.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::process {
namespace {

std::string ended;

struct First {
  ~First() { ended += "first "; }
};
struct Second {
  ~Second() { ended += "second "; }
};
struct NeverAskedFor {
  ~NeverAskedFor() { ended += "never "; }
};
struct Parts {
  Part<First> first;
  Part<NeverAskedFor> never;
  Part<Second> second;
};

TEST(OwnTest, APartBeginsWhenItIsAskedForAndTheLastOneEndsFirst) {
  ended.clear();
  {
    Parts parts;
    EXPECT_EQ(parts.first.find(), nullptr);
    Second* const second = &parts.second.get();
    EXPECT_EQ(&parts.second.get(), second);
    EXPECT_EQ(parts.second.find(), second);
    parts.first.get();
  }
  EXPECT_EQ(ended, "second first ");
}

// As what MPI keeps of a rank.
struct Above {
  void end_with_rank() noexcept { saw_own = own_of_rank.find() == seen; }
  static inline const Own* seen = nullptr;
  static inline bool saw_own = false;
};
const RankLocal<Above> above_of_rank;

TEST(OwnTest, TheRanksOwnOutlivesWhatLayersAboveKeepOfTheRank) {
  EXPECT_EQ(find_own(&Own::directory), nullptr);  // no rank
  {
    Rank rank(0);
    Rank::enter(&rank);
    above_of_rank.get();
    Above::seen = &own();
    EXPECT_EQ(find_own(&Own::directory), nullptr);  // never asked for
  }
  EXPECT_TRUE(Above::saw_own);
}

}  // namespace
}  // namespace heddle::process
