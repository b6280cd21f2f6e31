#include "exec/ult/completion.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "base/test_seeds.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

// A strand that counts its wake-ups.
class FakeStrand final : public Strand {
 public:
  void wake() noexcept override { ++wakes; }
  int wakes = 0;
};

TEST(Completion, PendingBecomesDoneBySetAndPendingAgainByReset) {
  Completion completion;
  EXPECT_FALSE(completion.done());
  completion.set();
  EXPECT_TRUE(completion.done());
  completion.wait();
  completion.reset();
  EXPECT_FALSE(completion.done());
}

TEST(Completion, SetWakesTheEnrolledStrandOnce) {
  Completion completion;
  FakeStrand strand;
  ASSERT_TRUE(completion.enroll(strand));
  EXPECT_FALSE(completion.done());
  completion.set();
  EXPECT_EQ(strand.wakes, 1);
  EXPECT_TRUE(completion.done());
  EXPECT_FALSE(completion.withdraw(strand));
}

TEST(Completion, AWithdrawnStrandIsNotWoken) {
  Completion completion;
  FakeStrand strand;
  ASSERT_TRUE(completion.enroll(strand));
  EXPECT_TRUE(completion.withdraw(strand));
  completion.set();
  EXPECT_EQ(strand.wakes, 0);
}

TEST(Completion, EnrollFailsWhenDone) {
  Completion completion;
  FakeStrand strand;
  completion.set();
  EXPECT_FALSE(completion.enroll(strand));
  EXPECT_EQ(strand.wakes, 0);
}

// Waits for any of several completions, again and again, as MPI_Waitany does.
template <std::size_t kCount>
int wait_any(std::array<Completion, kCount>& completions) {
  Strand& me = Strand::current();
  int enrolled = 0;
  int found = -1;
  for (std::size_t i = 0; i < kCount && found < 0; ++i) {
    if (completions[i].enroll(me)) {
      ++enrolled;
    } else {
      found = static_cast<int>(i);
    }
  }
  if (found < 0) Strand::park();
  int absorbed = found < 0 ? 1 : 0;
  int wakes = 0;
  const int last = found < 0 ? static_cast<int>(kCount) : found;
  for (int i = 0; i < last; ++i) {
    if (completions[static_cast<std::size_t>(i)].withdraw(me)) continue;
    ++wakes;
    if (found < 0 || i < found) found = i;
  }
  for (; absorbed < wakes; ++absorbed) Strand::park();
  EXPECT_LE(wakes, enrolled);
  return found;
}

// `set` is done by `setters` at random times while the waiter enrolls and withdraws. The oracle:
// each completion is found exactly once, and the last park of all is answered by the last wake of
// all.
void wait_for_all_by_waiting_for_any(std::uint64_t seed, std::uint64_t yield_seed, bool kernel) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", yields " << yield_seed);
  const auto round_count = static_cast<std::size_t>(TestSeeds::rounds(kSanitized ? 30 : 200));
  constexpr std::size_t kCount = 5;
  ScopedScheduler scheduler(2, yield_seed);
  std::vector<std::array<Completion, kCount>> rounds(round_count);
  std::vector<Completion> begun(round_count * kCount);
  std::vector<int> found(round_count * kCount, 0);
  const auto waiter = [&] {
    for (std::size_t round = 0; round < round_count; ++round) {
      for (std::size_t i = 0; i < kCount; ++i) begun[round * kCount + i].set();
      std::array<bool, kCount> seen{};
      for (std::size_t left = kCount; left > 0;) {
        const int index = wait_any(rounds[round]);
        const auto at = static_cast<std::size_t>(index);
        EXPECT_TRUE(rounds[round][at].done());
        if (!seen[at]) {
          --left;
          ++found[round * kCount + at];
        }
        seen[at] = true;
        // Those that have been found become pending for good in a fresh round only.
        if (left > 0) rounds[round][at].reset();
      }
    }
  };
  Ults ults;
  for (std::size_t i = 0; i < kCount; ++i) {
    ults.run_on(static_cast<int>(i % 2), [&, i] {
      Random random(seed * kCount + i);
      for (std::size_t round = 0; round < round_count; ++round) {
        begun[round * kCount + i].wait();
        for (std::uint64_t turns = random.below(4); turns > 0; --turns) yield();
        rounds[round][i].set();
      }
    });
  }
  if (kernel) {
    waiter();
  } else {
    ults.run_on(0, waiter);
  }
  ults.join_all();
  for (int times : found) EXPECT_EQ(times, 1);
}

TEST(Completion, AnyOfManyIsFoundOnceByAUlt) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) wait_for_all_by_waiting_for_any(seed, 0, false);
}
TEST(Completion, AnyOfManyIsFoundOnceByAUltUnderForcedYields) {
  for (const unsigned seed : TestSeeds(1, 4)) wait_for_all_by_waiting_for_any(seed, seed, false);
}
TEST(Completion, AnyOfManyIsFoundOnceByAKernelThread) {
  for (const unsigned seed : TestSeeds(1, 4)) wait_for_all_by_waiting_for_any(seed, seed, true);
}

// Two parties take turns; whatever one wrote before set() the other must see after wait().
void ping_pong(int worker_a, int worker_b) {
  constexpr std::size_t kRounds = kSanitized ? 1000 : 10'000;
  ScopedScheduler scheduler(2);
  std::vector<Completion> ping(kRounds);
  std::vector<Completion> pong(kRounds);
  std::size_t plain = 0;
  Ults ults;
  ults.run_on(worker_a, [&] {
    for (std::size_t i = 0; i < kRounds; ++i) {
      ++plain;
      ping[i].set();
      pong[i].wait();
    }
  });
  ults.run_on(worker_b, [&] {
    for (std::size_t i = 0; i < kRounds; ++i) {
      ping[i].wait();
      ++plain;
      pong[i].set();
    }
  });
  ults.join_all();
  EXPECT_EQ(plain, 2 * kRounds);
}

TEST(Completion, PublishesWhatWasWrittenBeforeSetOnOneWorker) {
  ping_pong(0, 0);
}
TEST(Completion, PublishesWhatWasWrittenBeforeSetAcrossWorkers) {
  ping_pong(0, 1);
}

TEST(Completion, MayBeDestroyedByWhoeverSawItDone) {
  ScopedScheduler scheduler(2);
  constexpr int kRounds = kSanitized ? 200 : 2000;
  std::atomic<Completion*> box{nullptr};
  Ults ults;
  ults.run_on(0, [&] {
    for (int i = 0; i < kRounds; ++i) {
      auto one = std::make_unique<Completion>();
      box.store(one.get(), std::memory_order_release);
      one->wait();
    }
  });
  ults.run_on(1, [&] {
    for (int i = 0; i < kRounds; ++i) {
      Completion* one = nullptr;
      while ((one = box.exchange(nullptr, std::memory_order_acq_rel)) == nullptr) relax();
      one->set();
    }
  });
  ults.join_all();
}

}  // namespace
}  // namespace heddle::ult
