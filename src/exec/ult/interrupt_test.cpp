#include "exec/ult/interrupt.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/futex.h"
#include "base/test_seeds.h"
#include "exec/ult/test_support.h"
#include "exec/ult/wait.h"

namespace heddle::ult {
namespace {

using platform::kNever;

TEST(Interrupt, EndsTheWaitThatItFindsAndAllLaterOnes) {
  ScopedScheduler scheduler(2);
  Interrupt interrupt;
  Completion never;
  std::atomic<bool> begun{false};
  Ults ults;
  ults.run_on(0, [&] {
    begun = true;
    EXPECT_EQ(wait(never, {.interrupt = &interrupt}), WaitEnd::kCancelled);
    EXPECT_EQ(wait(never, {.interrupt = &interrupt}), WaitEnd::kCancelled);
    EXPECT_EQ(
        wait(never, {.deadline_ns = platform::now_ns() + 1'000'000, .alerts = Alerts::kIgnores}),
        WaitEnd::kTimedOut);
  });
  ults.run_on(1, [&] {
    while (!begun) yield();
    interrupt.request();
    interrupt.request();
  });
  ults.join_all();
}

TEST(Interrupt, ComesAfterWhatIsDone) {
  Interrupt interrupt;
  interrupt.request();
  Completion done;
  done.set();
  EXPECT_EQ(wait(done, {.interrupt = &interrupt}), WaitEnd::kDone);
}

// One strand sets the completion, another one requests to give up, and a deadline comes: at the same
// time. Each wake-up must be absorbed, or a later park ends early; none may be awaited in vain.
void race(unsigned seed, int workers, bool kernel) {
  const int rounds = TestSeeds::rounds(400);
  const auto count = static_cast<std::size_t>(rounds);
  std::vector<Completion> completions(count), begun(count), over(2 * count);
  std::vector<Interrupt> interrupts(count);
  const auto waiter = [&] {
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      begun[i].set();
      const bool patient = random.below(2) != 0;
      const auto patience = static_cast<std::int64_t>(random.below(20'000));
      const WaitEnd end =
          wait(completions[i], {.deadline_ns = patient ? kNever : platform::now_ns() + patience,
                                .interrupt = &interrupts[i]});
      EXPECT_TRUE(end != WaitEnd::kTimedOut || !patient);
      EXPECT_TRUE(end != WaitEnd::kDone || completions[i].done());
      // Both have been there: nothing is under way to this strand any more.
      over[2 * i].wait();
      over[2 * i + 1].wait();
      EXPECT_EQ(Strand::park_until(platform::now_ns()), WaitEnd::kTimedOut);
    }
  };
  std::vector<Completion> released(count);
  const auto setter = [&] {
    Random random(seed + 1);
    for (std::size_t i = 0; i < count; ++i) {
      begun[i].wait();
      released[i].set();
      for (std::uint64_t turns = random.below(3); turns > 0; --turns) yield();
      completions[i].set();
      over[2 * i].set();
    }
  };
  const auto asker = [&] {
    Random random(seed + 2);
    for (std::size_t i = 0; i < count; ++i) {
      released[i].wait();
      for (std::uint64_t turns = random.below(3); turns > 0; --turns) yield();
      interrupts[i].request();
      over[2 * i + 1].set();
    }
  };
  ScopedScheduler scheduler(workers, seed);
  Ults ults;
  ults.run_on(0, setter);
  ults.run_on(workers - 1, asker);
  if (kernel) {
    waiter();
  } else {
    ults.run_on(0, waiter);
  }
  ults.join_all();
}

TEST(Interrupt, LeavesNoWakeUpBehindInAnyScheduleOfManySeeds) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 3 : 8)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    race(seed, 1, false);
    race(seed, 2, false);
    race(seed, 1, true);
  }
}

}  // namespace
}  // namespace heddle::ult
