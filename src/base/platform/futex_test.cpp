#include "base/platform/futex.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

#include "base/platform/clock.h"

namespace heddle::platform {
namespace {

TEST(Futex, ReturnsAtOnceWhenTheWordDiffers) {
  std::atomic<std::uint32_t> word{1};
  futex_wait(word, 0);
}

TEST(Futex, SleepsUntilItsDeadlineAndKeepsErrno) {
  std::atomic<std::uint32_t> word{0};
  const std::int64_t deadline = now_ns() + 2'000'000;
  errno = 7;
  while (now_ns() < deadline) futex_wait(word, 0, deadline);
  EXPECT_GE(now_ns(), deadline);
  EXPECT_EQ(errno, 7);
}

TEST(Futex, WakesASleeper) {
  std::atomic<std::uint32_t> word{0};
  std::thread sleeper([&word] {
    while (word.load(std::memory_order_acquire) == 0) futex_wait(word, 0);
  });
  word.store(1, std::memory_order_release);
  futex_wake_one(word);
  sleeper.join();
}

TEST(Clock, NeverGoesBack) {
  std::int64_t last = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(wtick(), 0.0);
  EXPECT_LE(wtick(), 1e-3);
}

}  // namespace
}  // namespace heddle::platform
