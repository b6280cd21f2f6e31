// Strands wait for words that other threads count up, and none is missed.

#include "net/gateway/awaited_words.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "base/test_seeds.h"
#include "exec/ult/test_support.h"

namespace heddle::gateway {
namespace {

using Word = std::atomic<std::uint32_t>;

// As another process: it knows the words, and wakes the host as a transport does.
void count_up(Word& word) {
  word.store(word.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  ult::nudge();
}

TEST(AwaitedWords, AStrandGoesOnWhenItsNumberIsThere) {
  constexpr std::uint32_t kRounds = 300;
  for (const unsigned seed : TestSeeds(0, 4)) {
    const ult::ScopedScheduler scheduler({.workers = 2, .spin_ns = 0, .yield_seed = seed});
    AwaitedWords words;
    std::array<Word, 3> here{}, there{};
    std::thread other([&] {
      for (std::uint32_t round = 1; round <= kRounds; ++round) {
        for (std::size_t i = 0; i < here.size(); ++i) {
          while (here[i].load(std::memory_order_seq_cst) != round) std::this_thread::yield();
          count_up(there[i]);
        }
      }
    });
    ult::Ults ults;
    for (std::size_t i = 0; i < here.size(); ++i) {
      ults.run_on(static_cast<int>(i % 2), [&, i] {
        for (std::uint32_t round = 1; round <= kRounds; ++round) {
          here[i].store(round, std::memory_order_seq_cst);
          words.wait({&there[i], round});
          EXPECT_EQ(there[i].load(std::memory_order_relaxed), round);
        }
      });
    }
    ults.join_all();
    other.join();
  }
}

// The writer is a strand of the waiter's host, and no thread polls.
TEST(AwaitedWords, AStrandOfTheSameHostWakesWhatItLooksFor) {
  const ult::ScopedScheduler scheduler({.workers = 2, .spin_ns = 0});
  AwaitedWords words;
  std::array<Word, 2> word{};
  ult::Ults ults;
  for (std::size_t me = 0; me < 2; ++me) {
    ults.run_on(static_cast<int>(me), [&, me] {
      for (std::uint32_t round = 1; round <= 1000; ++round) {
        word[me].store(round, std::memory_order_seq_cst);
        words.look();
        words.wait({&word[1 - me], round});
      }
    });
  }
  ults.join_all();
  EXPECT_EQ(word[0].load(), word[1].load());
}

TEST(AwaitedWords, NumbersWrapAround) {
  const ult::ScopedScheduler scheduler({.workers = 1});
  AwaitedWords words;
  Word word{3};
  ult::Ults ults;
  ults.run_on(0, [&] { words.wait({&word, 0xfffffff0}); });
  ults.join_all();
}

}  // namespace
}  // namespace heddle::gateway
