#include "exec/ult/alert.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/futex.h"
#include "base/test_seeds.h"
#include "exec/ult/completion.h"
#include "exec/ult/event.h"
#include "exec/ult/test_support.h"
#include "exec/ult/wait.h"

namespace heddle::ult {
namespace {

using platform::kNever;

// What an answer does in these tests; the pointer is the test's.
std::atomic<int> answers{0};
Completion* awaited_in_answer = nullptr;
void count_answer() {
  answers.fetch_add(1, std::memory_order_relaxed);
  if (awaited_in_answer != nullptr) awaited_in_answer->wait();
  yield();
}

class Alert : public ::testing::Test {
 protected:
  Alert() {
    answers = 0;
    awaited_in_answer = nullptr;
    set_alert_handler(count_answer);
  }
  ~Alert() override { set_alert_handler(nullptr); }
};

TEST_F(Alert, IsAnsweredByAWaitThatGoesOnAfterwards) {
  const ScopedScheduler scheduler(2);
  Completion event;
  std::atomic<bool> through{false};
  Ults ults;
  Ult* const waiter = ults.run_on(0, [&] {
    event.wait();
    through = true;
  });
  alert(*waiter);
  while (answers.load() == 0) std::this_thread::yield();
  EXPECT_FALSE(through);
  event.set();
  ults.join_all();
  EXPECT_EQ(answers, 1);
}

TEST_F(Alert, ThatFindsNoWaitIsAnsweredByTheNextOne) {
  const ScopedScheduler scheduler(1);
  Completion event;
  Ults ults;
  ults.run([&] {
    alert_self();
    EXPECT_EQ(answers, 0);
    EXPECT_EQ(wait(event, {.alerts = Alerts::kReturns}), WaitEnd::kAlerted);
    answer_alert();
    EXPECT_EQ(answers, 1);
    alert_self();
    EXPECT_EQ(wait(event, {.deadline_ns = platform::now_ns() + 1000, .alerts = Alerts::kIgnores}),
              WaitEnd::kTimedOut);
    EXPECT_EQ(wait(event, {.alerts = Alerts::kReturns}), WaitEnd::kAlerted);
    event.set();
    event.wait();
    EXPECT_EQ(wait(event, {.alerts = Alerts::kReturns}), WaitEnd::kDone);
    EXPECT_EQ(answers, 1);
  });
  ults.join_all();
}

TEST_F(Alert, IsAnsweredByAWaitThatThenLastsUntilItsDeadline) {
  const ScopedScheduler scheduler(1);
  Completion never;
  Ults ults;
  ults.run([&] {
    alert_self();
    const std::int64_t deadline_ns = platform::now_ns() + 1'000'000;
    EXPECT_EQ(wait(never, {.deadline_ns = deadline_ns}), WaitEnd::kTimedOut);
    EXPECT_GE(platform::now_ns(), deadline_ns);
    EXPECT_EQ(answers, 1);
  });
  ults.join_all();
}

// A waker takes the waiter out of the queue, and sets its completion a moment later.
TEST_F(Alert, DoesNotEndTheWaitOfAWaiterThatWasTaken) {
  struct Queued {
    bool withdraw() noexcept { return !taken; }
    Completion completion;
    bool taken = false;
  };
  const ScopedScheduler scheduler(1);
  Queued left, taken;
  Ults ults;
  ults.run([&] {
    alert_self();
    EXPECT_EQ(wait_in_queue(left, {.alerts = Alerts::kReturns}), WaitEnd::kAlerted);
    taken.taken = true;
    EXPECT_EQ(wait_in_queue(taken, {.alerts = Alerts::kReturns}), WaitEnd::kDone);
    EXPECT_EQ(answers, 0);
    answer_alert();
  });
  ults.run([&] {
    while (!taken.taken) yield();
    taken.completion.set();
  });
  ults.join_all();
}

TEST_F(Alert, ThatFindsNoWaitIsAnsweredByTheNextOneOfAnEvent) {
  const ScopedScheduler scheduler(1);
  Event event(std::array{0});
  Ults ults;
  ults.run([&] {
    alert_self();
    event.wait(1);
    EXPECT_EQ(answers, 1);
  });
  ults.run([&] {
    for (int i = 0; i < 1000 && answers == 0; ++i) yield();
    EXPECT_EQ(answers, 1);
    event.set(1);
  });
  ults.join_all();
}

TEST_F(Alert, EndsNoParkAndNoSleep) {
  const ScopedScheduler scheduler(2);
  Strand* sleeper = nullptr;
  std::atomic<bool> parks{false}, woken{false};
  Ults ults;
  Ult* const ult = ults.run_on(0, [&] {
    sleeper = &Strand::current();
    parks = true;
    Strand::park();
    EXPECT_TRUE(woken);
    EXPECT_EQ(Strand::park_until(platform::now_ns() + 2'000'000), WaitEnd::kTimedOut);
  });
  while (!parks) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) alert(*ult);
  woken = true;
  sleeper->wake();
  for (int i = 0; i < 100; ++i) alert(*ult);
  ults.join_all();
  EXPECT_EQ(answers, 0);
}

// However many alerts a park sits out, its stack does not grow.
TEST_F(Alert, LeavesNothingOnTheStackOfAPark) {
  const ScopedScheduler scheduler(1);
  Strand* sleeper = nullptr;
  Ults ults;
  Ult* const ult = ults.run([&] {
    sleeper = &Strand::current();
    Strand::park();
  });
  ults.run([&] {
    while (sleeper == nullptr) yield();
    for (int i = 0; i < 100'000; ++i) {
      alert(*ult);
      yield();
    }
    sleeper->wake();
  });
  ults.join_all();
  EXPECT_EQ(answers, 0);
}

TEST_F(Alert, AnswersMayWaitWhileWhatWasAwaitedHappens) {
  const ScopedScheduler scheduler(1);
  Completion event, inner;
  awaited_in_answer = &inner;
  Ults ults;
  Ult* const waiter = ults.run([&] { event.wait(); });
  ults.run([&] {
    alert(*waiter);
    while (answers == 0) yield();
    event.set();
    for (int i = 0; i < 10; ++i) yield();
    inner.set();
  });
  ults.join_all();
  EXPECT_TRUE(event.done());
}

TEST_F(Alert, LetsAUltOutOfAnEventThatIsSetMeanwhile) {
  for (const int setter : {0, 1}) {
    const ScopedScheduler scheduler(2);
    answers = 0;
    Completion inner;
    awaited_in_answer = &inner;
    Event event(std::array{0, 1});
    std::atomic<int> passed{0};
    Ults ults;
    Ult* const alerted = ults.run_on(0, [&] {
      event.wait(1);
      ++passed;
    });
    while (answers == 0) {
      alert(*alerted);
      std::this_thread::yield();
    }
    ults.run_on(setter, [&] {
      event.set(1);
      inner.set();
    });
    ults.join_all();
    EXPECT_EQ(passed, 1);
  }
}

// Waits of all kinds, while alerts come all the time. Each event wakes its waiter once: none is lost, and none is left.
void race(unsigned seed, int workers) {
  const auto count = static_cast<std::size_t>(TestSeeds::rounds(kSanitized ? 100 : 400));
  const ScopedScheduler scheduler(workers, seed);
  std::vector<Completion> events(count), begun(count), over(count);
  Completion all_over;
  std::array<Completion, 2> ends;
  Ults ults;
  Ult* const waiter = ults.run_on(0, [&] {
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      begun[i].set();
      const std::uint64_t kind = random.below(3);
      if (kind == 0) {
        events[i].wait();
      } else if (kind == 1) {
        while (wait(events[i], {.alerts = Alerts::kReturns}) != WaitEnd::kDone) answer_alert();
      } else {
        WaitEnd found = WaitEnd::kAlerted;
        while (found != WaitEnd::kDone) {
          const auto patience = static_cast<std::int64_t>(random.below(20'000));
          found = wait(events[i],
                       {.deadline_ns = platform::now_ns() + patience, .alerts = Alerts::kReturns});
          if (found == WaitEnd::kAlerted) answer_alert();
        }
      }
      over[i].wait();
      EXPECT_EQ(Strand::park_until(platform::now_ns()), WaitEnd::kTimedOut);
    }
    all_over.set();
    ends[0].wait();
  });
  Ult* const setter = ults.run_on(workers - 1, [&] {
    Random random(seed + 1);
    for (std::size_t i = 0; i < count; ++i) {
      begun[i].wait();
      for (std::uint64_t phases = random.below(3); phases > 0; --phases) yield();
      events[i].set();
      over[i].set();
    }
    ends[1].wait();
  });
  Alerter alerter({waiter, setter}, seed);
  all_over.wait();
  alerter.stop();
  for (Completion& end : ends) end.set();
  ults.join_all();
}

TEST_F(Alert, LeavesNoWakeUpBehindInAnyScheduleOfManySeeds) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 3 : 8)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    race(seed, 1);
    race(seed, 2);
  }
}

// Ults that wait for one event after another, while some of them answer alerts. None may pass before all have come.
void crowd_passes(unsigned seed) {
  constexpr int kUlts = 6;
  const int phases = TestSeeds::rounds(kSanitized ? 50 : 200);
  const ScopedScheduler scheduler(3, seed);
  // Worker 2 has no list of waiters.
  std::array<Event, 2> events = {Event(std::array{0, 1}), Event(std::array{0, 1})};
  std::atomic<int> came{0}, early{0};
  Completion all_passed;
  std::array<Completion, kUlts> ends;
  std::atomic<int> left{kUlts};
  std::vector<Ult*> alerted;
  Ults ults;
  for (int i = 0; i < kUlts; ++i) {
    alerted.push_back(ults.run_on(i % 3, [&, i] {
      for (int phase = 1; phase <= phases; ++phase) {
        Event& event = events[static_cast<std::size_t>(phase % 2)];
        if (came.fetch_add(1, std::memory_order_acq_rel) + 1 == phase * kUlts) {
          event.set(static_cast<Event::Phase>(phase));
        } else {
          event.wait(static_cast<Event::Phase>(phase));
        }
        if (came.load(std::memory_order_relaxed) < phase * kUlts) ++early;
      }
      if (--left == 0) all_passed.set();
      ends[static_cast<std::size_t>(i)].wait();
    }));
  }
  Alerter alerter(alerted, seed);
  all_passed.wait();
  alerter.stop();
  for (Completion& end : ends) end.set();
  ults.join_all();
  EXPECT_EQ(early, 0);
}

TEST_F(Alert, ACrowdPassesEventsInAnyScheduleOfManySeeds) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 3 : 8)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    crowd_passes(seed);
  }
}

}  // namespace
}  // namespace heddle::ult
