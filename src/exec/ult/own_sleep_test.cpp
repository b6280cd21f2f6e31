#include "exec/ult/own_sleep.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/platform/clock.h"
#include "exec/ult/completion.h"
#include "exec/ult/host_bell.h"
#include "exec/ult/poller.h"
#include "exec/ult/stillness.h"
#include "exec/ult/wait.h"

namespace heddle::ult {
namespace {

std::string nothing(const void*) {
  return "nothing";
}

WaitNote note_for(WaitReason reason) {
  return {.call = "a test", .what = nothing, .subject = nullptr, .reason = reason};
}

// Of the last sleep that was judged.
std::atomic<int> looks{0};
std::atomic<int> sleepers{0};
std::atomic<std::uint64_t> rings_of_sleep{0}, steps_of_sleep{0}, answered_of_sleep{0};
std::atomic<bool> ended{false};

void take_sleep(const OwnSleep& sleep) noexcept {
  const Sleepers all = count_sleepers();
  sleepers.store(all.all);
  rings_of_sleep.store(rings_before_sleep());
  steps_of_sleep.store(all.steps);
  answered_of_sleep.store(all.answered);
  ended.store(sleep.has_ended(sleep.sleep));
  looks.fetch_add(1);
}

// A thread sleeps at the bell only where there is something to poll.
class NothingToPoll final : public Poller {
 public:
  bool poll(int, PollEffort) noexcept override { return false; }
};

class OwnSleepTest : public testing::Test {
 protected:
  OwnSleepTest() {
    looks.store(0);
    set_host_bell(&bell_);
    add_poller(poller_);
    set_sleep_judge(take_sleep);
  }
  ~OwnSleepTest() override {
    set_sleep_judge(nullptr);
    remove_poller(poller_);
    set_host_bell(nullptr);
  }

  platform::Bell bell_;
  NothingToPoll poller_;
};

// A thread that never looks hangs.
TEST_F(OwnSleepTest, AThreadThatWaitsInMpiLooksAndStaysAsleep) {
  Completion end;
  std::thread other([&] {
    while (looks.load() < 2) std::this_thread::yield();
    EXPECT_EQ(rings_of_sleep.load(), std::uint64_t{bell_.rings()} + 1);
    EXPECT_EQ(sleepers.load(), 1);
    EXPECT_FALSE(ended.load());
    end.set();
  });
  const NotedWait noted(note_for(WaitReason::kMpi));
  end.wait();
  other.join();
  EXPECT_EQ(answered_of_sleep.load(), NotedCounts::kNothingIsAsked);
}

TEST_F(OwnSleepTest, EachWaitIsAStep) {
  for (std::uint64_t before = 0; const int round : {0, 1}) {
    const int looks_before = looks.load();
    Completion end;
    std::thread other([&] {
      while (looks.load() == looks_before) std::this_thread::yield();
      end.set();
    });
    const NotedWait noted(note_for(WaitReason::kMpi));
    end.wait();
    other.join();
    if (round != 0) {
      EXPECT_EQ(steps_of_sleep.load(), before + 1);
    }
    before = steps_of_sleep.load();
  }
}

// One of them is at the bell, the other one at its own word. Each looks, also when the other one has stopped looking.
TEST_F(OwnSleepTest, EachThreadOfTheProcessCounts) {
  Completion first, second;
  std::thread other([&] {
    const NotedWait noted(note_for(WaitReason::kThreads));
    first.wait();
  });
  std::thread waker([&] {
    while (sleepers.load() != 2) std::this_thread::yield();
    first.set();
    other.join();
    while (sleepers.load() != 1) std::this_thread::yield();
    second.set();
  });
  const NotedWait noted(note_for(WaitReason::kMpi));
  second.wait();
  waker.join();
  EXPECT_EQ(count_sleepers().all, 0);
}

TEST_F(OwnSleepTest, AWaitForATimeIsNone) {
  const NotedWait noted(note_for(WaitReason::kThreads));
  std::thread looker([] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(count_sleepers().all, 0);
      std::this_thread::yield();
    }
  });
  Completion never;
  wait(never, {.deadline_ns = platform::now_ns() + 50'000'000, .alerts = Alerts::kReturns});
  looker.join();
}

TEST_F(OwnSleepTest, OnlyAWaitWithoutATimerOfItsOwnIsJudged) {
  EXPECT_FALSE(may_judge_own_sleep(false)) << "in no wait";
  {
    const NotedWait noted(note_for(WaitReason::kMpi));
    EXPECT_TRUE(may_judge_own_sleep(false));
    EXPECT_FALSE(may_judge_own_sleep(true)) << "its timer ends it";
    {
      const NotedWait inner(note_for(WaitReason::kThreads));
      EXPECT_TRUE(may_judge_own_sleep(false)) << "in a wait for threads";
    }
    EXPECT_TRUE(may_judge_own_sleep(false));
  }
  {
    const AskingWait noted(note_for(WaitReason::kMpi));
    EXPECT_TRUE(may_judge_own_sleep(true)) << "its timer only asks";
  }
  EXPECT_FALSE(may_judge_own_sleep(false)) << "the wait has ended";
}

// Else others would see it asleep while it asks. If the core comes back late there is no time to sleep, and so nothing to ring.
TEST_F(OwnSleepTest, ATimerThatAsksRingsTheBellOfItsThread) {
  const AskingWait noted(note_for(WaitReason::kMpi));
  while (bell_.rings() == 0) {
    Completion never;
    wait(never, {.deadline_ns = platform::now_ns() + 1'000'000, .alerts = Alerts::kReturns});
  }
}

TEST_F(OwnSleepTest, TheTimerOfAnotherWaitRingsNoBell) {
  const NotedWait noted(note_for(WaitReason::kMpi));
  Completion never;
  wait(never, {.deadline_ns = platform::now_ns() + 1'000'000, .alerts = Alerts::kReturns});
  EXPECT_EQ(bell_.rings(), 0U);
  EXPECT_EQ(looks.load(), 0);
}

}  // namespace
}  // namespace heddle::ult
