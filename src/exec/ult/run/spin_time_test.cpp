#include "exec/ult/run/spin_time.h"

#include <gtest/gtest.h>

namespace heddle::ult {
namespace {

constexpr std::int64_t kUsual = 100, kLater = 1'000'000'000;

// How long one spins that begins at kLater.
std::int64_t spin_of(SpinTime& spin) {
  std::int64_t now = kLater;
  spin.begin_anew();
  while (!spin.is_over(now)) ++now;
  return now - kLater;
}

TEST(SpinTime, IsTheUsualOneAtFirst) {
  SpinTime spin;
  spin.start(kUsual);
  EXPECT_EQ(spin_of(spin), kUsual);
}

TEST(SpinTime, BeginsAnewWhenSomethingCame) {
  SpinTime spin;
  spin.start(kUsual);
  EXPECT_FALSE(spin.is_over(kLater));
  EXPECT_FALSE(spin.is_over(kLater + kUsual - 1));
  spin.begin_anew();
  EXPECT_FALSE(spin.is_over(kLater + kUsual));
  EXPECT_TRUE(spin.is_over(kLater + 2 * kUsual));
}

TEST(SpinTime, GrowsWithShortSleepsAndShrinksWithLongOnes) {
  SpinTime spin;
  spin.start(kUsual);
  for (const std::int64_t expected : {2 * kUsual, 4 * kUsual, 4 * kUsual}) {
    spin.slept(2 * kUsual);
    EXPECT_EQ(spin_of(spin), expected);
  }
  spin.slept(10 * kUsual);  // neither short nor long
  EXPECT_EQ(spin_of(spin), 4 * kUsual);
  for (const std::int64_t expected : {200, 100, 50, 25, 12, 12}) {
    spin.slept(10 * kUsual + 1);
    EXPECT_EQ(spin_of(spin), expected);
  }
  spin.slept(0);
  EXPECT_EQ(spin_of(spin), kUsual);
}

TEST(SpinTime, IsNoneWhileAUltIsExpectedBack) {
  SpinTime spin;
  spin.start(kUsual);
  spin.expect_back(kLater);
  EXPECT_EQ(spin_of(spin), 0);
  spin.expect_back(kLater - 1'000'000);
  EXPECT_EQ(spin_of(spin), kUsual);
}

}  // namespace
}  // namespace heddle::ult
