#include "exec/process/locks/parking_lot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <thread>

#include "base/platform/clock.h"
#include "base/test_seeds.h"
#include "exec/ult/test_support.h"

namespace heddle::process {
namespace {

using ult::Random;
using ult::ScopedScheduler;
using ult::Ults;

constexpr std::int64_t kMillisecond = 1'000'000;

TEST(ParkingLot, WakesNobodyWhereNobodyWaits) {
  int place = 0;
  EXPECT_EQ(wake(&place, INT_MAX), 0);
}

TEST(ParkingLot, DoesNotWaitForWhatHasComeTrue) {
  int place = 0;
  EXPECT_EQ(wait_unless(&place, [] { return true; }), WaitEnd::kNot);
  EXPECT_EQ(wake(&place, 1), 0);
}

TEST(ParkingLot, GivesUpAtTheDeadlineAndLeavesTheQueue) {
  ScopedScheduler scheduler(1);
  int place = 0;
  Ults ults;
  for (int i = 0; i < 3; ++i) {
    ults.run([&] {
      const std::int64_t deadline = platform::now_ns() + 2 * kMillisecond;
      EXPECT_EQ(wait_unless(
                    &place, [] { return false; }, deadline),
                WaitEnd::kTimedOut);
      EXPECT_GE(platform::now_ns(), deadline);
    });
  }
  EXPECT_EQ(wait_unless(
                &place, [] { return false; }, 0),
            WaitEnd::kTimedOut);
  ults.join_all();
  EXPECT_EQ(wake(&place, INT_MAX), 0);
}

TEST(ParkingLot, WakesOfOneAddressInTheOrderOfComing) {
  ScopedScheduler scheduler(1);
  int place = 0, other = 0;
  std::vector<int> woken;
  Ults ults;
  for (int i = 0; i < 4; ++i) {
    ults.run([&, i] {
      wait_unless(i == 1 ? &other : &place, [] { return false; });
      woken.push_back(i);
    });
  }
  ults.run([&] {
    EXPECT_EQ(wake(&place, 1), 1);
    ult::yield();
    EXPECT_EQ(wake(&place, 5), 2);
    EXPECT_EQ(wake(&other, 5), 1);
  });
  ults.join_all();
  EXPECT_EQ(woken, (std::vector<int>{0, 2, 3, 1}));
}

TEST(ParkingLot, LetsWhoeverCameTooLateWaitInFront) {
  ScopedScheduler scheduler(1);
  int place = 0;
  std::vector<int> woken;
  Ults ults;
  for (int i = 0; i < 3; ++i) {
    ults.run([&, i] {
      wait_unless(
          &place, [] { return false; }, kNever, i == 2);
      woken.push_back(i);
    });
  }
  ults.run([&] { EXPECT_EQ(wake(&place, 3), 3); });
  ults.join_all();
  EXPECT_EQ(woken, (std::vector<int>{2, 0, 1}));
}

// A semaphore of the simplest kind: a count, and the lot. Ults and kernel threads take and give;
// some give up at once or soon. Nothing may be lost: at the end all that was given was taken.
void trade(unsigned seed, int workers) {
  constexpr int kTraders = 6;
  const int rounds = TestSeeds::rounds(100);
  std::atomic<int> count{2};
  const auto try_take = [&] {
    int seen = count.load(std::memory_order_relaxed);
    while (seen > 0 && !count.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire)) {
    }
    return seen > 0;
  };
  const auto take_until = [&](std::int64_t deadline) {
    for (bool in_front = false;; in_front = true) {
      const WaitEnd waited = wait_unless(&count, try_take, deadline, in_front);
      if (waited == WaitEnd::kNot || try_take()) return true;
      if (waited == WaitEnd::kTimedOut) return false;
    }
  };
  const auto trader = [&](int number) {
    Random random(seed * 100 + static_cast<unsigned>(number));
    for (int i = 0; i < rounds; ++i) {
      const bool patient = random.below(3) != 0;
      const auto patience = static_cast<std::int64_t>(random.below(20'000));
      if (!take_until(patient ? kNever : platform::now_ns() + patience)) continue;
      if (random.below(2) != 0) ult::yield();
      count.fetch_add(1, std::memory_order_release);
      wake(&count, 1);
    }
  };
  ScopedScheduler scheduler(workers, seed);
  Ults ults;
  for (int i = 0; i < kTraders; ++i) ults.run_on(i % workers, [&, i] { trader(i); });
  std::thread kernel_thread([&] { trader(kTraders); });
  kernel_thread.join();
  ults.join_all();
  EXPECT_EQ(count, 2) << "seed " << seed;
}

TEST(ParkingLot, LosesNoWakeUpInAnyScheduleOfManySeeds) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 4 : 12)) {
    trade(seed, 1);
    trade(seed, 2);
  }
}

}  // namespace
}  // namespace heddle::process
