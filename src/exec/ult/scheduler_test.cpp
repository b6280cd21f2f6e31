#include "exec/ult/scheduler.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <ctime>
#include <set>
#include <thread>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/topology.h"
#include "base/spin_lock.h"
#include "exec/ult/completion.h"
#include "exec/ult/poller.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

TEST(Scheduler, StartsAndStopsAgainAndAgain) {
  for (int workers : {1, 3, 2}) {
    ScopedScheduler scheduler(workers);
    EXPECT_TRUE(running());
    EXPECT_EQ(worker_count(), workers);
    std::atomic<int> ran{0};
    Ults ults;
    for (int i = 0; i < 2 * workers; ++i) ults.run_on(i % workers, [&] { ++ran; });
    ults.join_all();
    EXPECT_EQ(ran, 2 * workers);
  }
  EXPECT_FALSE(running());
}

// One that is parked, one that sleeps, one that only ever yields.
TEST(Scheduler, LeavesUltsStandingThatHaveNotEndedAndGoesOnWithThemLater) {
  Completion release;
  std::atomic<bool> over{false};
  std::atomic<int> begun{0}, ended{0};
  Ults ults;
  {
    ScopedScheduler scheduler(2);
    ults.run_on(0, [&] {
      ++begun;
      release.wait();
      ++ended;
    });
    ults.run_on(1, [&] {
      ++begun;
      sleep_until(platform::now_ns() + 50'000'000);
      ++ended;
    });
    ults.run_on(1, [&] {
      ++begun;
      while (!over) yield();
      ++ended;
    });
    while (begun != 3) sched_yield();
  }
  EXPECT_LT(ended, 3);
  over = true;
  ScopedScheduler scheduler(2);
  release.set();
  ults.join_all();
  EXPECT_EQ(ended, 3);
}

TEST(Scheduler, StopsWhileAUltThatIsAloneOnItsWorkerYields) {
  std::atomic<bool> begun{false}, over{false};
  Ults ults;
  {
    ScopedScheduler scheduler(1);
    ults.run([&] {
      begun = true;
      while (!over) yield();
    });
    while (!begun) sched_yield();
  }
  over = true;
  ScopedScheduler scheduler(1);
  ults.join_all();
}

TEST(Scheduler, HasAWorkerForEachUsableCoreByDefault) {
  ScopedScheduler scheduler(SchedulerOptions{});
  EXPECT_EQ(static_cast<std::size_t>(worker_count()), platform::usable_cpus().size());
}

TEST(Scheduler, BindsWorkersToUsableCores) {
  ScopedScheduler scheduler(2);
  std::vector<cpu_set_t> masks(2);
  Ults ults;
  for (int i = 0; i < 2; ++i) {
    ults.run_on(i, [&masks, i] {
      sched_getaffinity(0, sizeof(cpu_set_t), &masks[static_cast<std::size_t>(i)]);
    });
  }
  ults.join_all();
  const std::vector<int>& cpus = platform::usable_cpus();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(CPU_COUNT(&masks[i]), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(cpus[i % cpus.size()]), &masks[i]));
  }
}

TEST(Scheduler, RunsEachUltOnTheWorkerItAskedFor) {
  ScopedScheduler scheduler(2);
  std::vector<pid_t> threads(8);
  Ults ults;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    ults.run_on(static_cast<int>(i % 2), [&threads, i] {
      yield();
      threads[i] = gettid();
    });
  }
  ults.join_all();
  for (std::size_t i = 2; i < threads.size(); ++i) EXPECT_EQ(threads[i], threads[i % 2]);
  EXPECT_NE(threads[0], threads[1]);
}

TEST(Scheduler, PlacesUltsWithoutAWishOnTheLeastLoadedWorker) {
  ScopedScheduler scheduler(2);
  Completion go;
  Completion go_too;
  Ults ults;
  Ult* first = ults.run([&] { go.wait(); });
  Ult* second = ults.run([&] { go_too.wait(); });
  EXPECT_NE(worker_of(*first), worker_of(*second));
  go.set();
  go_too.set();
}

std::atomic<int> hooks_started;
std::atomic<int> hooks_stopping;

TEST(Scheduler, CallsTheHooksOnEachWorker) {
  hooks_started = hooks_stopping = 0;
  const WorkerHooks both = {.started = [](int worker) { hooks_started += 1 + 10 * worker; },
                            .stopping = [](int worker) { hooks_stopping += 1 + 10 * worker; }};
  add_worker_hooks({.started = [](int) { hooks_started += 100; }});
  add_worker_hooks(both);
  add_worker_hooks(both);
  {
    ScopedScheduler scheduler(2);
    EXPECT_EQ(hooks_started, 212);
    EXPECT_EQ(hooks_stopping, 0);
  }
  EXPECT_EQ(hooks_stopping, 12);
}

TEST(Scheduler, CountsSwitchesAndRemoteWakes) {
  ScopedScheduler scheduler(2);
  const SchedulerCounters before = counters();
  Ults ults;
  ults.run_on(0, [] {
    Ults inner;
    for (int i = 0; i < 2; ++i) {
      inner.run([] {
        for (int turn = 0; turn < 100; ++turn) yield();
      });
    }
  });
  ults.join_all();
  const SchedulerCounters after = counters();
  EXPECT_GE(after.switches - before.switches, 200u);
  EXPECT_GE(after.remote_wakes - before.remote_wakes, 1u);
}

TEST(Scheduler, AUltAloneIsResumedWithoutASwitch) {
  ScopedScheduler scheduler(1);
  std::uint64_t switches = 1;
  Completion ready;
  Strand* parker = nullptr;
  constexpr int kRounds = 100;
  Ults ults;
  ults.run([&] {
    parker = &Strand::current();
    ready.set();
    const std::uint64_t before = counters().switches;
    for (int i = 0; i < kRounds; ++i) Strand::park();
    switches = counters().switches - before;
  });
  ready.wait();
  for (int i = 0; i < kRounds; ++i) parker->wake();
  ults.join_all();
  EXPECT_EQ(switches, 0u);
}

long context_switches() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

// While nothing happens no worker may run: the number of kernel sleeps stays what it is.
TEST(Scheduler, IdleWorkersSleepInTheKernel) {
  ScopedScheduler scheduler(2);
  constexpr std::size_t kUlts = 20;
  std::vector<Completion> go(kUlts);
  Ults ults;
  for (std::size_t i = 0; i < kUlts; ++i) {
    ults.run_on(static_cast<int>(i % 2), [&go, i] { go[i].wait(); });
  }
  while (counters().kernel_sleeps < 2) sched_yield();
  sleep_until(platform::now_ns() + 20'000'000);  // let both fall asleep for good

  const std::uint64_t sleeps_before = counters().kernel_sleeps;
  const long switches_before = context_switches();
  sleep_until(platform::now_ns() + 200'000'000);
  EXPECT_LE(counters().kernel_sleeps - sleeps_before, 2u);
  EXPECT_LE(context_switches() - switches_before, 20);
  for (Completion& one : go) one.set();
}

// A sleeping worker with timers wakes for the first deadline, not in between.
TEST(Scheduler, AWorkerWithTimersSleepsUntilTheFirstDeadline) {
  ScopedScheduler scheduler(1);
  constexpr int kSleeps = 5;
  std::uint64_t sleeps = 0;
  Ults ults;
  ults.run([&] {
    const std::uint64_t before = counters().kernel_sleeps;
    for (int i = 0; i < kSleeps; ++i) sleep_until(platform::now_ns() + 5'000'000);
    sleeps = counters().kernel_sleeps - before;
  });
  ults.join_all();
  EXPECT_GE(sleeps, 1u);
  EXPECT_LE(sleeps, 2u * kSleeps);
}

class CountingPoller final : public Poller {
 public:
  bool poll(int, PollEffort) noexcept override {
    calls.fetch_add(1, std::memory_order_relaxed);
    if (Strand* strand = to_wake.exchange(nullptr)) strand->wake();
    return false;
  }
  std::atomic<int> calls{0};
  std::atomic<Strand*> to_wake{nullptr};
};

TEST(Poller, IsCalledByIdleWorkersAndMayWake) {
  ScopedScheduler scheduler(2);
  CountingPoller poller;
  add_poller(poller);
  Ults ults;
  ults.run([&] {
    poller.to_wake = &Strand::current();
    Strand::park();
  });
  ults.join_all();
  remove_poller(poller);
  EXPECT_GE(poller.calls, 1);
}

TEST(Poller, IsCalledByBusyWorkersNowAndThen) {
  ScopedScheduler scheduler(1);
  CountingPoller poller;
  add_poller(poller);
  int calls = 0;
  Ults ults;
  ults.run([&] {
    Ults inner;
    inner.run([&] {
      const int before = poller.calls;
      for (int turn = 0; turn < 1000; ++turn) yield();
      calls = poller.calls - before;
    });
    inner.run([] {
      for (int turn = 0; turn < 1000; ++turn) yield();
    });
  });
  ults.join_all();
  remove_poller(poller);
  EXPECT_GE(calls, 5);
  EXPECT_LE(calls, 1000);
}

// Hands out wake-ups that a giver has left with its lock; needs several polls for each.
class SlowPoller final : public Poller {
 public:
  void give(Strand& strand) {
    {
      SpinGuard guard(lock_);
      given_.push_back(&strand);
    }
    nudge();
  }
  bool poll(int, PollEffort) noexcept override {
    SpinGuard guard(lock_);
    if (given_.empty()) return false;
    if (++polls_ % 5 == 0) {
      given_.back()->wake();
      given_.pop_back();
    }
    return true;
  }

 private:
  SpinLock lock_;
  std::vector<Strand*> given_;
  int polls_ = 0;
};

// One strand parks again and again; a giver that neither polls nor switches lets it go each time, so
// only a sleeper that was nudged can wake it.
class Nudges {
 public:
  Nudges() { add_poller(poller_); }
  ~Nudges() { remove_poller(poller_); }

  void park() {
    for (int i = 0; i < kRounds; ++i) {
      waiting_ = &Strand::current();
      Strand::park();
    }
  }
  void give() {
    for (int i = 0; i < kRounds; ++i) {
      Strand* strand;
      while ((strand = waiting_.exchange(nullptr)) == nullptr) sched_yield();
      poller_.give(*strand);
    }
  }

 private:
  static constexpr int kRounds = 300;

  SlowPoller poller_;
  std::atomic<Strand*> waiting_{nullptr};
};

TEST(Poller, ANudgeWakesASleepingWorkerToPoll) {
  Nudges nudges;
  ScopedScheduler scheduler({.workers = 2, .spin_ns = 0});
  Ults ults;
  ults.run_on(0, [&] { nudges.park(); });
  nudges.give();
  ults.join_all();
}

TEST(Poller, IsCalledHoweverManyThereAre) {
  std::array<CountingPoller, 40> pollers;
  for (CountingPoller& poller : pollers) add_poller(poller);
  {
    ScopedScheduler scheduler(2);
    for (CountingPoller& poller : pollers) {
      while (poller.calls == 0) sched_yield();
    }
  }
  for (CountingPoller& poller : pollers) remove_poller(poller);
}

TEST(Poller, ANudgeWakesASleepingKernelThreadToPoll) {
  Nudges nudges;
  std::thread sleeper([&] { nudges.park(); });
  nudges.give();
  sleeper.join();
}

TEST(Poller, LetsIdleWorkersSleep) {
  CountingPoller poller;
  add_poller(poller);
  {
    ScopedScheduler scheduler(2);
    int calls;
    do {  // until no worker polls any more
      calls = poller.calls;
      timespec pause{.tv_nsec = 20'000'000};
      nanosleep(&pause, nullptr);
    } while (poller.calls != calls);
  }
  remove_poller(poller);
}

TEST(Poller, IsNotCalledAfterItsRemoval) {
  ScopedScheduler scheduler(2);
  Ults ults;
  std::atomic<bool> stop_yielding{false};
  for (int i = 0; i < 4; ++i) {
    ults.run_on(i % 2, [&] {
      while (!stop_yielding) relax();
    });
  }
  for (int i = 0; i < 20; ++i) {
    auto poller = std::make_unique<CountingPoller>();  // a late call would touch freed memory
    add_poller(*poller);
    while (poller->calls == 0) sched_yield();
    remove_poller(*poller);
  }
  stop_yielding = true;
}

}  // namespace
}  // namespace heddle::ult
