#include "runtime/job_board/rest.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace heddle::runtime {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// How long it takes until a job counts as resting that uses `used_of(pause)` in each pause; at most two minutes.
template <class UsedOf>
std::int64_t time_until_rest(Rest rest, UsedOf used_of) {
  std::int64_t time = 0, used = 5 * kSecond;
  while (time < 120 * kSecond) {
    const std::int64_t pause = rest.pause_ns();
    time += pause;
    used += used_of(pause);
    if (rest.after_pause(used)) return time;
  }
  return time;
}

TEST(Rest, IsHalfAMinuteWithoutWork) {
  const std::int64_t time = time_until_rest(Rest(5 * kSecond), [](std::int64_t) { return 0; });
  EXPECT_GE(time, 30 * kSecond);
  EXPECT_LT(time, 32 * kSecond);
}

TEST(Rest, IsNotWhatComputesNowAndThen) {
  std::int64_t pauses = 0;
  const auto each_tenth = [&](std::int64_t pause) { return ++pauses % 10 == 0 ? pause / 10 : 0; };
  EXPECT_GE(time_until_rest(Rest(5 * kSecond), each_tenth), 120 * kSecond);
}

TEST(Rest, IsWhatAWatchUsesItself) {
  const auto little = [](std::int64_t pause) { return pause / 1000; };
  EXPECT_LT(time_until_rest(Rest(5 * kSecond), little), 32 * kSecond);
}

TEST(Rest, ComesThoughProcessesEnd) {  // and with them what they had used
  const auto less = [](std::int64_t pause) { return -pause; };
  EXPECT_LT(time_until_rest(Rest(5 * kSecond), less), 32 * kSecond);
}

}  // namespace
}  // namespace heddle::runtime
