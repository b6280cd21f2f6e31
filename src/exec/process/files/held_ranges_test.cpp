#include "exec/process/files/held_ranges.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace heddle::process {
namespace {

TEST(HeldRanges, AreWhatAByteForByteTableSays) {
  enum State { kNone, kRead, kWrite };
  constexpr int kBytes = 24;
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::array<State, kBytes> plain{};
  HeldRanges held;
  for (int step = 0; step < 3000; ++step) {
    const int first = below(kBytes), last = first + below(kBytes - first);
    const ByteRange range = {first, last};
    const auto state = static_cast<State>(below(3));
    if (state == kNone) {
      held.unlock(range);
    } else {
      held.lock(range, state == kWrite);
    }
    for (int i = first; i <= last; ++i) plain[static_cast<std::size_t>(i)] = state;
    for (int i = 0; i < kBytes; ++i) {
      const State at = plain[static_cast<std::size_t>(i)];
      ASSERT_EQ(held.conflicts({i, i}, false), at == kWrite) << "byte " << i << ", step " << step;
      ASSERT_EQ(held.conflicts({i, i}, true), at != kNone) << "byte " << i << ", step " << step;
    }
  }
}

TEST(HeldRanges, ReachToTheEndOfEveryFile) {
  HeldRanges held;
  held.lock({10}, true);
  held.unlock({20, 29});
  EXPECT_TRUE(held.conflicts({19, 19}, false));
  EXPECT_FALSE(held.conflicts({20, 29}, true));
  EXPECT_TRUE(held.conflicts({1L << 60}, false));
  held.unlock({});
  EXPECT_TRUE(held.empty());
}

}  // namespace
}  // namespace heddle::process
