#include "exec/ult/lend.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "base/platform/clock.h"
#include "base/test_seeds.h"
#include "exec/ult/another_process.h"
#include "exec/ult/completion.h"
#include "exec/ult/start/forced_yield.h"
#include "exec/ult/test_support.h"
#include "exec/ult/under_way.h"

namespace heddle::ult {
namespace {

class Lending {
 public:
  explicit Lending(std::uint64_t yield_seed = 0) {
    const Error e = start_lending();
    EXPECT_FALSE(e) << e.text();
    force_yields(yield_seed, false);
  }
  ~Lending() {
    force_yields(0, false);
    stop_lending();
  }
  Lending(Lending&&) = delete;
};

// Runs in ults, and in kernel threads that never wait in MPI meanwhile.
void compute_until(const std::atomic<bool>& over) {
  while (!over.load(std::memory_order_acquire)) std::this_thread::yield();
}

TEST(Lend, AUltRunsOnTheThreadThatLooksAfterIt) {
  const Lending lending;
  Ults ults;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> turns{0};
  Completion goes_on;
  ults.run([&] {
    EXPECT_NE(std::this_thread::get_id(), caller) << "a ult has a TLS block of its own";
    ++turns;
    goes_on.wait();
    ++turns;
  });
  while (turns.load() == 0) look_after_ults();
  goes_on.set();
  ults.join_all();
  EXPECT_EQ(turns.load(), 2);
}

TEST(Lend, AThreadThatWaitsGoesOnWhenAUltWakesIt) {
  const Lending lending;
  Ults ults;
  constexpr int kRounds = 1000;
  std::vector<std::array<Completion, 2>> met(kRounds);
  ults.run([&] {
    for (auto& both : met) {
      both[0].wait();
      both[1].set();
    }
  });
  for (auto& both : met) {
    both[0].set();
    both[1].wait();
  }
}

TEST(Lend, WorkGoesOnWhileTheProgramComputes) {
  AnotherProcess outside;
  const Lending lending;
  Ults ults;
  for (int i = 0; i < 5; ++i) {
    std::atomic<bool> over{false};
    work_begins();
    ults.run([&] {
      for (int asked = 0; asked < 20; ++asked) outside.ask(0);
      work_ends();
      over.store(true, std::memory_order_release);
    });
    compute_until(over);
    ults.join_all();
  }
}

TEST(Lend, ItStartsAgain) {
  for (int i = 0; i < 3; ++i) {
    const Lending lending;
    Ults ults;
    bool ran = false;
    ults.run([&] { ran = true; });
    ults.join_all();
    EXPECT_TRUE(ran);
  }
}

TEST(Lend, UltsSleepWhileTheProgramComputes) {
  const Lending lending;
  Ults ults;
  std::atomic<bool> over{false};
  const std::int64_t began = platform::now_ns();
  constexpr std::int64_t kLong = 20'000'000;
  work_begins();
  ults.run([&] {
    sleep_until(began + kLong);
    EXPECT_GE(platform::now_ns(), began + kLong);
    work_ends();
    over.store(true, std::memory_order_release);
  });
  compute_until(over);
}

// Kernel threads that start work, wait for it, wait for something else, and compute in turn. What is lost hangs.
void exchange(std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  constexpr int kThreads = 3;
  const int rounds = TestSeeds::rounds(kSanitized ? 100 : 400);
  AnotherProcess outside;
  const Lending lending(seed);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int self = 0; self < kThreads; ++self) {
    threads.emplace_back([&, self] {
      Random random(seed * kThreads + static_cast<std::uint64_t>(self));
      Ults ults;
      for (int i = 0; i < rounds; ++i) {
        Completion done;
        std::atomic<bool> over{false};
        const std::uint64_t asks = random.below(4);
        work_begins();
        ults.run([&, asks] {
          for (std::uint64_t k = 0; k < asks; ++k) outside.ask(2 * self);
          work_ends();
          over.store(true, std::memory_order_release);
          done.set();
        });
        if (random.below(2) == 0) look_after_ults();
        switch (random.below(4)) {
          case 0:
            break;
          case 1:
            outside.ask(2 * self + 1);
            break;
          case 2:
            compute_until(over);
            break;
          default:
            while (!over.load(std::memory_order_acquire)) relax();
        }
        done.wait();
        ults.join_all();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Lend, NothingIsLost) {
  for (const unsigned seed : TestSeeds(1, 4)) exchange(seed);
}

}  // namespace
}  // namespace heddle::ult
