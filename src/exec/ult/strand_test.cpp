#include "exec/ult/strand.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/platform/clock.h"
#include "base/spin_lock.h"
#include "base/test_seeds.h"
#include "exec/ult/completion.h"
#include "exec/ult/poller.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

using platform::now_ns;

TEST(Strand, OfAKernelThreadCountsWakesLikeASemaphore) {
  Strand& me = Strand::current();
  me.wake();
  me.wake();
  Strand::park();
  Strand::park();
  EXPECT_EQ(Strand::park_until(now_ns() + 1'000'000), WaitEnd::kTimedOut);
}

TEST(Strand, OfAUltCountsWakesLikeASemaphore) {
  ScopedScheduler scheduler(1);
  bool third = true;
  Ults ults;
  ults.run([&] {
    Strand& me = Strand::current();
    me.wake();
    me.wake();
    Strand::park();
    Strand::park();
    third = Strand::park_until(now_ns() + 1'000'000) == WaitEnd::kDone;
  });
  ults.join_all();
  EXPECT_FALSE(third);
}

TEST(Strand, IsTheSameForAllCallsOfOneThreadAndDiffersBetweenThreads) {
  Strand* mine = &Strand::current();
  Strand* others = nullptr;
  std::thread([&] { others = &Strand::current(); }).join();
  EXPECT_EQ(mine, &Strand::current());
  EXPECT_NE(mine, others);
}

// Strands that wake each other at random, each as often as it parks. Ults of two workers and kernel
// threads take part. Every wake-up must arrive: a lost one hangs, a doubled one ends a park early
// and breaks the count of parks.
void exchange_wakes(std::uint64_t seed, std::uint64_t yield_seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", yield seed " << yield_seed);
  constexpr int kStrands = 12;
  constexpr int kThreads = 2;  // the last of them are kernel threads
  const int rounds = TestSeeds::rounds(kSanitized ? 300 : 1000);
  ScopedScheduler scheduler(2, yield_seed);
  std::vector<std::atomic<Strand*>> strands(kStrands);
  std::atomic<int> arrived{0};
  std::vector<std::atomic<int>> sent(kStrands);
  std::vector<int> received(kStrands, 0);
  const auto body = [&](int me) {
    Random random(seed * kStrands + static_cast<std::uint64_t>(me));
    strands[static_cast<std::size_t>(me)] = &Strand::current();
    ++arrived;
    while (arrived < kStrands) yield();
    // A ring with random multiplicity: k wakes to the right neighbour for k parks, so no
    // strand starves.
    for (int round = 0; round < rounds; ++round) {
      const std::size_t right = static_cast<std::size_t>((me + 1) % kStrands);
      const int burst = static_cast<int>((seed + static_cast<std::uint64_t>(round)) % 3) + 1;
      for (int i = 0; i < burst; ++i) {
        if (random.below(4) == 0) yield();
        ++sent[right];
        strands[right].load()->wake();
      }
      for (int i = 0; i < burst; ++i) {
        Strand::park();
        ++received[static_cast<std::size_t>(me)];
      }
    }
    EXPECT_LE(received[static_cast<std::size_t>(me)], sent[static_cast<std::size_t>(me)]);
  };
  Ults ults;
  for (int i = 0; i < kStrands - kThreads; ++i) ults.run_on(i % 2, [&body, i] { body(i); });
  std::vector<std::thread> threads;
  for (int i = kStrands - kThreads; i < kStrands; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
  ults.join_all();
  for (std::size_t i = 0; i < kStrands; ++i) EXPECT_EQ(received[i], sent[i]);
}

TEST(Strand, NoWakeIsLostOrDoubled) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) exchange_wakes(seed, 0);
}

TEST(Strand, NoWakeIsLostOrDoubledUnderForcedYields) {
  for (const unsigned seed : TestSeeds(1, 5)) exchange_wakes(seed, seed);
}

TEST(Strand, WakeFromAfarFindsASleepingWorker) {
  ScopedScheduler scheduler(SchedulerOptions{.workers = 2, .spin_ns = 0});
  constexpr int kRounds = 500;
  std::vector<Completion> there(kRounds);
  std::vector<Completion> back(kRounds);
  Ults ults;
  ults.run_on(1, [&] {
    for (std::size_t i = 0; i < kRounds; ++i) {
      there[i].wait();
      back[i].set();
    }
  });
  for (std::size_t i = 0; i < kRounds; ++i) {
    there[i].set();
    back[i].wait();
  }
  EXPECT_GT(counters().kernel_sleeps, 0u);
}

TEST(Sleep, EndsAtOrAfterItsDeadlineAndInTheOrderOfDeadlines) {
  ScopedScheduler scheduler(1);
  std::vector<int> order;
  std::atomic<int> early{0};
  Ults ults;
  const std::int64_t start_time = now_ns() + 20'000'000;
  for (int number : {3, 1, 4, 0, 2}) {
    ults.run([&, number] {
      const std::int64_t deadline = start_time + number * 2'000'000;
      sleep_until(deadline);
      if (now_ns() < deadline) ++early;
      order.push_back(number);
    });
  }
  ults.join_all();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(early, 0);
}

TEST(Sleep, IsNotCutShortByAWake) {
  ScopedScheduler scheduler(1);
  bool early = true;
  Completion ready;
  Strand* sleeper = nullptr;
  Ults ults;
  ults.run([&] {
    sleeper = &Strand::current();
    ready.set();
    const std::int64_t deadline = now_ns() + 5'000'000;
    sleep_until(deadline);
    early = now_ns() < deadline;
    Strand::park();  // the wake-up was counted
  });
  ready.wait();
  sleeper->wake();
  ults.join_all();
  EXPECT_FALSE(early);
}

// It ends only if another ult runs while one sleeps.
TEST(Sleep, LetsOthersOfTheWorkerRun) {
  ScopedScheduler scheduler(1);
  std::atomic<int> turns{0};
  bool slept = false;
  Ults ults;
  ults.run([&] {
    while (turns < 2) sleep_until(now_ns() + 1'000'000);
    slept = true;
  });
  ults.run([&] {
    while (!slept) {
      ++turns;
      yield();
    }
  });
  ults.join_all();
}

TEST(ParkUntil, ReturnsTrueForAWakeAndFalseForTheDeadline) {
  ScopedScheduler scheduler(2);
  bool woken = false;
  bool late = true;
  Completion ready;
  Strand* parker = nullptr;
  Ults ults;
  ults.run_on(0, [&] {
    parker = &Strand::current();
    ready.set();
    woken = Strand::park_until(now_ns() + 100'000'000'000) == WaitEnd::kDone;
    late = Strand::park_until(now_ns() + 1'000'000) == WaitEnd::kDone;
  });
  ults.run_on(1, [&] {
    ready.wait();
    parker->wake();
  });
  ults.join_all();
  EXPECT_TRUE(woken);
  EXPECT_FALSE(late);
}

// Wakes and deadlines race; each wake must be absorbed exactly once, late or in time.
void race_wakes_with_deadlines(bool kernel_thread) {
  const int rounds = kSanitized ? 200 : 2000;
  ScopedScheduler scheduler(2);
  Strand* parker = nullptr;
  Completion ready;
  std::vector<Completion> next(static_cast<std::size_t>(rounds));
  int absorbed = 0;
  const auto park_often = [&] {
    parker = &Strand::current();
    ready.set();
    for (int i = 0; i < rounds; ++i) {
      next[static_cast<std::size_t>(i)].set();
      const bool in_time = Strand::park_until(now_ns() + i % 50 * 100) == WaitEnd::kDone;
      if (!in_time) Strand::park();
      ++absorbed;
    }
  };
  const auto wake_often = [&] {
    ready.wait();
    for (Completion& one : next) {
      one.wait();
      parker->wake();
    }
  };
  Ults ults;
  ults.run_on(0, wake_often);
  if (kernel_thread) {
    park_often();
  } else {
    ults.run_on(1, park_often);
  }
  ults.join_all();
  EXPECT_EQ(absorbed, rounds);
}

TEST(ParkUntil, OfAUltRacesWithWakes) {
  race_wakes_with_deadlines(false);
}
TEST(ParkUntil, OfAKernelThreadRacesWithWakes) {
  race_wakes_with_deadlines(true);
}

TEST(Relax, LetsTheOneRunWhoEndsTheWaiting) {
  ScopedScheduler scheduler(1);
  bool done = false;
  Ults ults;
  ults.run([&] {
    while (!done) relax();
  });
  ults.run([&] { done = true; });
  ults.join_all();
  EXPECT_TRUE(done);
}

TEST(Relax, LetsTheOneRunWhoseTimeHasCome) {
  ScopedScheduler scheduler(1);
  bool done = false;
  Ults ults;
  ults.run([&] {
    while (!done) relax();
  });
  ults.run([&] {
    sleep_until(now_ns() + 1'000'000);
    done = true;
  });
  ults.join_all();
  EXPECT_TRUE(done);
}

TEST(Relax, LetsTheOneRunThatAKernelThreadHasWoken) {
  ScopedScheduler scheduler(1);
  bool done = false;
  Completion event;
  Ults ults;
  ults.run([&] {
    while (!done) relax();
  });
  ults.run([&] {
    event.wait();
    done = true;
  });
  sleep_until(now_ns() + 1'000'000);
  event.set();
  ults.join_all();
  EXPECT_TRUE(done);
}

TEST(Relax, Polls) {
  struct Polled final : Poller {
    Polled() { add_poller(*this); }
    ~Polled() override { remove_poller(*this); }
    bool poll(int worker, PollEffort) noexcept override {
      if (worker == 0) by_worker = true;  // the kernel thread of the test polls, too
      return false;
    }
    std::atomic<bool> by_worker{false};
  };
  ScopedScheduler scheduler(1);
  Completion begun;
  std::atomic<Polled*> poller{nullptr};
  bool done = false;
  Ults ults;
  ults.run([&] {
    begun.set();
    while (poller == nullptr || !poller.load()->by_worker) relax();
    done = true;
  });
  begun.wait();
  Polled polled;
  poller = &polled;
  ults.join_all();
  EXPECT_TRUE(done);
}

TEST(SpinLock, ExcludesUltsOfTwoWorkersUnderForcedYields) {
  ScopedScheduler scheduler(2, /*yield_seed=*/42);
  SpinLock lock;
  int plain = 0;
  constexpr int kRounds = kSanitized ? 200 : 2000;
  Ults ults;
  for (int i = 0; i < 8; ++i) {
    ults.run_on(i % 2, [&] {
      for (int round = 0; round < kRounds; ++round) {
        SpinGuard guard(lock);
        ++plain;
      }
    });
  }
  ults.join_all();
  EXPECT_EQ(plain, 8 * kRounds);
}

}  // namespace
}  // namespace heddle::ult
