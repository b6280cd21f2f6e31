#include "exec/ult/event.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "base/test_seeds.h"
#include "exec/ult/completion.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

constexpr std::array<int, 2> kFirstTwo = {0, 1};

TEST(Event, IsSetForThePhasesUpToTheLastThatWasSet) {
  const ScopedScheduler scheduler(2);
  Event event(kFirstTwo);
  event.wait(0);
  event.set(1);
  event.set(2);
  Ults ults;
  for (const int worker : kFirstTwo) {
    ults.run_on(worker, [&] {
      event.wait(1);
      event.wait(2);
    });
  }
  event.wait(2);
  ults.join_all();
}

TEST(Event, UltsOfAWorkerGoOnInTheOrderInWhichTheyCame) {
  const ScopedScheduler scheduler(1);
  constexpr int kUlts = 50;
  Event event(std::array{0});
  int came = 0;
  std::vector<int> passed;
  Ults ults;
  for (int i = 0; i < kUlts; ++i) {
    ults.run([&, i] {
      ++came;
      event.wait(1);
      passed.push_back(i);
    });
  }
  ults.run([&] {
    while (came < kUlts) yield();
    EXPECT_TRUE(passed.empty());
    event.set(1);
    EXPECT_TRUE(passed.empty());  // set() does not switch
  });
  ults.join_all();
  ASSERT_EQ(passed.size(), std::size_t{kUlts});
  EXPECT_TRUE(std::is_sorted(passed.begin(), passed.end()));
}

TEST(Event, AWakeUpLetsNobodyThroughAndIsNotLost) {
  const ScopedScheduler scheduler(1);
  Event event(std::array{0});
  Strand* waiter = nullptr;
  bool through = false;
  Ults ults;
  ults.run([&] {
    waiter = &Strand::current();
    event.wait(1);
    through = true;
    Strand::park();  // absorbs the wake-up that came meanwhile
  });
  ults.run([&] {
    while (waiter == nullptr) yield();
    waiter->wake();
    for (int i = 0; i < 10; ++i) yield();
    EXPECT_FALSE(through);
    event.set(1);
  });
  ults.join_all();
  EXPECT_TRUE(through);
}

// Strands of all kinds that count themselves in; the last one sets the event. No one may pass
// before all have come, and all must see what the others wrote. There are two events: one that passes
// runs ahead of those that are let through with it by one phase.
class Crowd {
 public:
  Crowd(int strands, int rounds)
      : strands_(strands), rounds_(rounds), came_(0), written_(idle(strands)) {}

  void take_part(int me) {
    for (int phase = 1; phase <= rounds_; ++phase) {
      Event& event = events_[phase % 2];
      written_[static_cast<std::size_t>(me)] = phase;
      if (came_.fetch_add(1, std::memory_order_acq_rel) + 1 == phase * strands_) {
        event.set(static_cast<Event::Phase>(phase));
      } else {
        event.wait(static_cast<Event::Phase>(phase));
      }
      const auto next = static_cast<std::size_t>((me + phase) % strands_);
      const int seen = written_[next].load(std::memory_order_relaxed);
      if (seen != phase && seen != phase + 1) wrong_.store(true, std::memory_order_relaxed);
    }
  }
  bool wrong() const { return wrong_.load(std::memory_order_relaxed); }

 private:
  static std::vector<std::atomic<int>> idle(int strands) {
    return std::vector<std::atomic<int>>(static_cast<std::size_t>(strands));
  }

  const int strands_, rounds_;
  Event events_[2] = {Event(kFirstTwo), Event(kFirstTwo)};
  std::atomic<int> came_;
  std::vector<std::atomic<int>> written_;
  std::atomic<bool> wrong_{false};
};

void crowd_passes(int ults, int kernel_threads, std::uint64_t yield_seed) {
  // Worker 2 has no list of waiters.
  const ScopedScheduler scheduler(3, yield_seed);
  Crowd crowd(ults + kernel_threads, TestSeeds::rounds(kSanitized ? 200 : 1000));
  std::vector<std::thread> threads;
  for (int i = 0; i < kernel_threads; ++i) {
    threads.emplace_back([&, i] { crowd.take_part(ults + i); });
  }
  {
    Ults all;
    for (int i = 0; i < ults; ++i) {
      all.run_on(i % 3, [&, i] { crowd.take_part(i); });
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(crowd.wrong());
}

TEST(Event, ACrowdOfUltsPassesTogether) {
  crowd_passes(24, 0, 0);
}

TEST(Event, ACrowdOfUltsAndKernelThreadsPassesTogether) {
  crowd_passes(12, 2, 0);
}

TEST(Event, KernelThreadsPassWithoutUlts) {
  crowd_passes(0, 3, 0);
}

TEST(Event, TellsPhasesApartThatAreFarFromEachOther) {
  const ScopedScheduler scheduler(1);
  constexpr Event::Phase kFar[] = {1,         2, 1ull << 30, (1ull << 30) + 2, (1ull << 31) + 3,
                                   1ull << 40};
  Event event(std::array{0});
  Event::Phase last = 0;
  for (const Event::Phase phase : kFar) {
    for (const Event::Phase later : kFar) {
      EXPECT_EQ(event.is_set(later), later <= last) << later << " after " << last;
    }
    event.set(last = phase);
  }
}

TEST(Event, OfNoWorkerLetsKernelThreadsPass) {
  const ScopedScheduler scheduler(1);
  Event event({});
  int written = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      event.wait(1);
      EXPECT_EQ(written, 1);
    });
  }
  EXPECT_FALSE(event.is_set(1));
  written = 1;
  event.set(1);
  EXPECT_TRUE(event.is_set(1));
  for (std::thread& thread : threads) thread.join();
}

TEST(Event, SpinsWhileNothingElseCanRunAndNotForLong) {
  const ScopedScheduler scheduler(3);
  Event event(kFirstTwo);
  std::atomic<bool> spun{false};
  Completion opened;
  Ults ults;
  ults.run_on(0, [&] {
    EXPECT_FALSE(event.spin(1));
    spun = true;
    while (!event.spin(1)) {
    }
    EXPECT_TRUE(event.spin(1));
    opened.set();
  });
  ults.run_on(1, [&] {
    while (!spun) yield();
    event.set(1);
  });
  ults.run_on(2, [&] {
    opened.wait();
    EXPECT_FALSE(event.spin(1));  // it has no list there
  });
  ults.join_all();
}

TEST(Event, ACrowdPassesWhateverTheSchedule) {
  for (const unsigned seed : TestSeeds(1, 5)) crowd_passes(9, 1, seed);
}

}  // namespace
}  // namespace heddle::ult
