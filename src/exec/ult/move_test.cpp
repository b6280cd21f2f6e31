// Ults that go on on another worker, whatever they wait for, and lose no wake-up on the way.

#include "exec/ult/move.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <thread>
#include <vector>

#include "base/platform/clock.h"
#include "base/test_seeds.h"
#include "exec/ult/alert.h"
#include "exec/ult/event.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

constexpr std::array<int, 2> kFirstTwo = {0, 1};

int here() {
  return worker_of(*current());
}

// Since the scheduler has started.
class Moves {
 public:
  std::uint64_t so_far() const { return counters().moves - before_; }

 private:
  const std::uint64_t before_ = counters().moves;
};

// Returns once the calling ult runs on that worker: it needs turns to get there.
void await_worker(int worker) {
  while (here() != worker) yield();
}

TEST(Move, AUltThatIsAloneOnItsWorkerGoesAtItsNextYield) {
  const ScopedScheduler scheduler(2);
  const Moves moves;
  Ults ults;
  ults.run_on(0, [] {
    move(*current(), 1);
    EXPECT_EQ(here(), 0);
    await_worker(1);
    errno = 7;
    move(*current(), 0);
    await_worker(0);
    EXPECT_EQ(errno, 7);
  });
  ults.join_all();
  EXPECT_EQ(moves.so_far(), 2u);
}

TEST(Move, AMoveToTheWorkerWhereItIsDoesNothing) {
  const ScopedScheduler scheduler(2);
  const Moves moves;
  Ults ults;
  ults.run_on(1, [] {
    move(*current(), 1);
    for (int i = 0; i < 10; ++i) yield();
    EXPECT_EQ(here(), 1);
  });
  ults.join_all();
  EXPECT_EQ(moves.so_far(), 0u);
}

TEST(Move, TheLastWorkerThatIsNamedCounts) {
  const ScopedScheduler scheduler(3);
  const Moves moves;
  Ults ults;
  ults.run_on(0, [] {
    move(*current(), 1);
    move(*current(), 2);
    await_worker(2);
  });
  ults.join_all();
  EXPECT_EQ(moves.so_far(), 1u);
}

// `wait` returns after `wake` was called, in between the ult was told to move.
template <class Wait, class Wake>
void move_in_wait(State waits, Wait wait, Wake wake) {
  const ScopedScheduler scheduler(2);
  const Moves moves;
  Ults ults;
  std::atomic<bool> waited{false};  // a deadline may come early
  Ult* const waiter = ults.run_on(0, [&] {
    wait();
    waited = true;
    await_worker(1);
    // And it waits and is woken as before.
    Strand::park();
    EXPECT_EQ(here(), 1);
  });
  ults.run_on(0, [&] {
    while (waiter->state != waits && !waited) yield();  // same worker
    move(*waiter, 1);
    for (int i = 0; i < 5; ++i) yield();
    const int where = worker_of(*waiter);
    EXPECT_TRUE(where == 0 || waited) << "a ult that waits stays where it is";
    wake(*waiter);
    static_cast<Strand*>(waiter)->wake();
  });
  ults.join_all();
  EXPECT_EQ(moves.so_far(), 1u);
}

TEST(Move, InAPark) {
  move_in_wait(
      State::kParked, [] { Strand::park(); }, [](Ult& ult) { static_cast<Strand&>(ult).wake(); });
}

TEST(Move, InAParkWithADeadlineThatIsNotReached) {
  const auto park = [] {
    EXPECT_EQ(Strand::park_until(platform::now_ns() + 60'000'000'000), WaitEnd::kDone);
  };
  move_in_wait(State::kParked, park, [](Ult& ult) { static_cast<Strand&>(ult).wake(); });
}

TEST(Move, InAParkWithADeadlineThatComes) {
  std::atomic<bool> came{false};
  const auto park = [&] {
    EXPECT_EQ(Strand::park_until(platform::now_ns() + 20'000'000), WaitEnd::kTimedOut);
    came = true;
  };
  move_in_wait(State::kParked, park, [&](Ult&) {
    while (!came) yield();
  });
}

TEST(Move, InACompletion) {
  Completion done;
  move_in_wait(
      State::kParked, [&] { done.wait(); }, [&](Ult&) { done.set(); });
}

TEST(Move, InASleep) {
  const std::int64_t end = platform::now_ns() + 20'000'000;
  const auto sleep = [&] {
    sleep_until(end);
    EXPECT_GE(platform::now_ns(), end);
  };
  move_in_wait(State::kSleeping, sleep, [](Ult&) {});
}

TEST(Move, ThatWaitsForAnEvent) {
  std::unique_ptr<Event> event;
  const auto wait = [&] {
    event = std::make_unique<Event>(kFirstTwo);
    event->wait(1);
  };
  move_in_wait(State::kFrozen, wait, [&](Ult&) { event->set(1); });
}

TEST(Move, AUltThatHasMovedWaitsForAnEventOfItsNewWorker) {
  const ScopedScheduler scheduler(2);
  Event event(kFirstTwo);
  std::atomic<int> came{0};
  Ults ults;
  for (int i = 0; i < 6; ++i) {
    ults.run_on(i % 2, [&, i] {
      move(*current(), (i / 2) % 2);
      await_worker((i / 2) % 2);
      ++came;
      event.wait(1);
    });
  }
  ults.run([&] {
    while (came < 6) yield();
    event.set(1);
  });
  ults.join_all();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they hold signals back
TEST(Move, InASystemCall) {
  SchedulerOptions wanted{.workers = 2, .slice_ns = 1'000'000};
  wanted.is_program_code = [](std::uintptr_t, std::uintptr_t) { return false; };
  const ScopedScheduler scheduler(wanted);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Ults ults;
  Ult* const reader = ults.run_on(0, [&] {
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    await_worker(1);
  });
  ults.run_on(0, [&] {
    while (reader->state != State::kAway) yield();  // same worker
    move(*reader, 1);
    EXPECT_EQ(write(ends[1], "x", 1), 1);
  });
  ults.join_all();
  close(ends[0]);
  close(ends[1]);
}
#endif

TEST(Move, AnAlertFindsAUltThatHasMoved) {
  static std::atomic<int> answers;
  answers = 0;
  const ScopedScheduler scheduler(2);
  set_alert_handler([] { ++answers; });
  Completion done;
  Ults ults;
  Ult* const waiter = ults.run_on(0, [&] {
    move(*current(), 1);
    await_worker(1);
    done.wait();
  });
  ults.run_on(0, [&] {
    alert(*waiter);
    while (answers == 0) yield();
    done.set();
  });
  ults.join_all();
  set_alert_handler(nullptr);
}

TEST(Move, TheSchedulerStopsWithoutAUltThatMoves) {
  Completion goes_on;
  std::atomic<bool> ended{false};
  Ults ults;
  {
    const ScopedScheduler scheduler(2);
    Ult* const waiter = ults.run_on(0, [&] {
      goes_on.wait();
      ended = true;
    });
    Ults others;
    others.run_on(0, [&] {
      while (waiter->state != State::kParked) yield();
      move(*waiter, 1);
    });
  }
  EXPECT_FALSE(ended);
  const ScopedScheduler again(2);
  goes_on.set();
  ults.join_all();
  EXPECT_TRUE(ended);
}

// Ults of all workers and a kernel thread wake some that park, and move them at the same time. Each wake-up ends one park.
void wake_and_move(unsigned seed, int workers) {
  constexpr int kParkers = 3;
  const int wakers = 2 * workers;
  const int rounds = TestSeeds::rounds(400);
  const ScopedScheduler scheduler(workers, seed);
  std::array<std::atomic<int>, kParkers> parks{};
  std::vector<Ult*> parkers;
  std::atomic<bool> ready{false};
  Ults parking, ults;
  for (int i = 0; i < kParkers; ++i) {
    parkers.push_back(parking.run_on(i % workers, [&, i] {
      while (!ready) yield();
      for (int left = (wakers + 1) * rounds; left > 0; --left) {
        Strand::park();
        ++parks[static_cast<std::size_t>(i)];
      }
    }));
  }
  const auto wake_all = [&](std::uint64_t number) {
    Random random(seed * 100 + number);
    for (int round = 0; round < rounds; ++round) {
      for (Ult* const parker : parkers) {
        if (random.below(3) == 0) move(*parker, static_cast<int>(random.below(workers)));
        static_cast<Strand*>(parker)->wake();
      }
      if (current() != nullptr && random.below(4) == 0) yield();
    }
  };
  for (int i = 0; i < wakers; ++i) {
    ults.run_on(i % workers, [&, i] { wake_all(static_cast<std::uint64_t>(i) + 1); });
  }
  ready = true;
  std::thread afar(wake_all, 0);
  afar.join();
  ults.join_all();
  parking.join_all();
  for (const auto& count : parks) EXPECT_EQ(count, (wakers + 1) * rounds);
}

TEST(Move, LosesNoWakeUpInAnySchedule) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 2 : 6)) {
    wake_and_move(seed, 2);
    wake_and_move(seed, 3);
  }
}

TEST(Move, LosesNoWakeUpAtFullSpeed) {
  for (int i = 0; i < 3; ++i) wake_and_move(0, 2);
}

}  // namespace
}  // namespace heddle::ult
