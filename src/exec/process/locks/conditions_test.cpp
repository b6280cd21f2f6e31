#include "exec/process/locks/conditions.h"

#include <gtest/gtest.h>
#include <linux/futex.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "base/platform/clock.h"
#include "base/test_seeds.h"
#include "exec/process/locks/futex_calls.h"
#include "exec/process/locks/locks.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/ult/test_support.h"

namespace heddle::process {
namespace {

using ult::ScopedScheduler;
using ult::Ults;

timespec in(std::int64_t ns, clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  const std::int64_t sum = time.tv_nsec + ns;
  return {time.tv_sec + sum / 1'000'000'000, sum % 1'000'000'000};
}

pthread_cond_t condition_with(clockid_t clock, int shared) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, clock);
  pthread_condattr_setpshared(&attributes, shared);
  pthread_cond_t condition;
  pthread_cond_init(&condition, &attributes);
  return condition;
}

// What conditions.cpp reads from libc's storage.
TEST(Conditions, KnowClockAndKind) {
  EXPECT_EQ(condition_with(CLOCK_REALTIME, 0).__data.__wrefs, 0u);
  EXPECT_EQ(condition_with(CLOCK_REALTIME, 1).__data.__wrefs, 1u);
  EXPECT_EQ(condition_with(CLOCK_MONOTONIC, 0).__data.__wrefs, 2u);
}

TEST(Conditions, TimedWaitsEndOnEveryClock) {
  ScopedScheduler scheduler(1);
  Ults ults;
  ults.run([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t real = PTHREAD_COND_INITIALIZER;
    pthread_cond_t monotonic = condition_with(CLOCK_MONOTONIC, 0);
    mutex_lock(&mutex);
    timespec time = in(1'000'000, CLOCK_REALTIME);
    EXPECT_EQ(cond_wait(&real, &mutex, kOwnClock, &time), ETIMEDOUT);
    time = in(1'000'000, CLOCK_MONOTONIC);
    EXPECT_EQ(cond_wait(&monotonic, &mutex, kOwnClock, &time), ETIMEDOUT);
    EXPECT_EQ(cond_wait(&real, &mutex, CLOCK_MONOTONIC, &time), ETIMEDOUT);
    time.tv_nsec = 1'000'000'000;
    EXPECT_EQ(cond_wait(&real, &mutex, kOwnClock, &time), EINVAL);
    EXPECT_EQ(mutex_trylock(&mutex), EBUSY) << "the mutex is held again";
    mutex_unlock(&mutex);
  });
}

// The second ult needs the worker of the first one, which waits.
TEST(Conditions, ThatProcessesShareKeepNoWorker) {
  for (const int shared_mutex : {0, 1}) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, shared_mutex);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes);
    pthread_cond_t condition = condition_with(CLOCK_REALTIME, 1);
    bool waits = false, told = false;
    ScopedScheduler scheduler(1);
    Ults ults;
    ults.run([&] {
      mutex_lock(&mutex);
      waits = true;
      while (!told) EXPECT_EQ(cond_wait(&condition, &mutex, kOwnClock, nullptr), 0);
      mutex_unlock(&mutex);
    });
    ults.run([&] {
      mutex_lock(&mutex);
      while (!waits) {
        mutex_unlock(&mutex);
        ult::yield();
        mutex_lock(&mutex);
      }
      told = true;
      EXPECT_EQ(cond_signal(&condition), 0);
      mutex_unlock(&mutex);
    });
    ults.join_all();
  }
}

TEST(Conditions, RefuseAWaiterWhoDoesNotHoldAnErrorCheckingMutex) {
  if (kSanitized) GTEST_SKIP() << "ThreadSanitizer reports such an unlock";
  pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  EXPECT_EQ(cond_wait(&condition, &mutex, kOwnClock, nullptr), EPERM);
}

// Some put, some take, ults and a kernel thread, with a queue that is often empty and often full.
void produce_and_consume(unsigned seed, int workers) {
  constexpr int kPairs = 4;
  const int items = TestSeeds::rounds(150);
  constexpr std::size_t kRoom = 3;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
  std::deque<int> queue;
  std::atomic<long> taken{0};
  const auto put = [&] {
    for (int i = 1; i <= items; ++i) {
      mutex_lock(&mutex);
      while (queue.size() == kRoom) cond_wait(&not_full, &mutex, kOwnClock, nullptr);
      queue.push_back(i);
      cond_signal(&not_empty);
      mutex_unlock(&mutex);
    }
  };
  const auto take = [&] {
    for (int i = 1; i <= items; ++i) {
      mutex_lock(&mutex);
      while (queue.empty()) cond_wait(&not_empty, &mutex, kOwnClock, nullptr);
      taken += queue.front();
      queue.pop_front();
      mutex_unlock(&mutex);
      cond_signal(&not_full);
    }
  };
  ScopedScheduler scheduler(workers, seed);
  Ults ults;
  for (int i = 0; i < kPairs; ++i) {
    ults.run_on(i % workers, put);
    if (i != 0) ults.run_on((i + 1) % workers, take);
  }
  std::thread kernel_thread(take);
  kernel_thread.join();
  ults.join_all();
  EXPECT_EQ(taken, long{kPairs} * items * (items + 1) / 2) << "seed " << seed;
}

TEST(Conditions, LoseNoSignalInAnyScheduleOfManySeeds) {
  for (const unsigned seed : TestSeeds(0, kSanitized ? 3 : 8)) {
    produce_and_consume(seed, 1);
    produce_and_consume(seed, 2);
  }
}

// Ults that meet at a barrier, pass a token round by semaphores and count under a mutex, while alerts end their waits.
void meet_and_count(unsigned seed, int workers) {
  constexpr int kUlts = 4;
  const int turns = TestSeeds::rounds(60);
  ScopedScheduler scheduler(workers, seed);
  pthread_barrier_t barrier;
  barrier_init(&barrier, nullptr, kUlts);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::array<sem_t, kUlts> tokens;
  for (sem_t& token : tokens) semaphore_init(&token, 0, &token == &tokens[0] ? 1 : 0);
  int count = 0, wrong = 0;
  std::atomic<int> left{kUlts};
  ult::Completion all_ready;
  std::array<ult::Completion, kUlts> ends;
  std::vector<ult::Ult*> alerted;
  Ults ults;
  for (std::size_t i = 0; i < kUlts; ++i) {
    alerted.push_back(ults.run_on(static_cast<int>(i) % workers, [&, i] {
      for (int turn = 1; turn <= turns; ++turn) {
        mutex_lock(&mutex);
        ++count;
        ult::yield();
        mutex_unlock(&mutex);
        barrier_wait(&barrier);
        semaphore_wait(&tokens[i], CLOCK_MONOTONIC, nullptr);
        if (count != turn * kUlts) ++wrong;
        semaphore_post(&tokens[(i + 1) % kUlts]);
        barrier_wait(&barrier);
      }
      if (--left == 0) all_ready.set();
      ends[i].wait();
    }));
  }
  ult::Alerter alerter(alerted, seed);
  all_ready.wait();
  alerter.stop();
  for (ult::Completion& end : ends) end.set();
  ults.join_all();
  EXPECT_EQ(wrong, 0) << "seed " << seed;
}

TEST(Conditions, AlertsLoseNoWakeUpInAnyScheduleOfManySeeds) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 2 : 4)) {
    meet_and_count(seed, 1);
    meet_and_count(seed, 2);
  }
}

TEST(Conditions, ABroadcastReachesAllWhoWait) {
  for (const int workers : {1, 2}) {
    ScopedScheduler scheduler(workers, 5);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    int waiting = 0;
    bool go = false;
    Ults ults;
    for (int i = 0; i < 16; ++i) {
      ults.run_on(i % workers, [&] {
        mutex_lock(&mutex);
        ++waiting;
        while (!go) cond_wait(&condition, &mutex, kOwnClock, nullptr);
        mutex_unlock(&mutex);
      });
    }
    ults.run([&] {
      for (bool all = false; !all;) {
        mutex_lock(&mutex);
        all = go = waiting == 16;
        mutex_unlock(&mutex);
        ult::yield();
      }
      cond_broadcast(&condition);
    });
  }
}

TEST(Barrier, LetsAllGoTogetherAndOneKnowsThatItWasTheLast) {
  constexpr int kUlts = 7, kRounds = 100;
  for (const int workers : {1, 2}) {
    ScopedScheduler scheduler(workers, 11);
    pthread_barrier_t barrier;
    ASSERT_EQ(barrier_init(&barrier, nullptr, kUlts), 0);
    std::atomic<int> arrived{0}, serial{0};
    Ults ults;
    for (int u = 0; u < kUlts; ++u) {
      ults.run_on(u % workers, [&] {
        for (int i = 1; i <= kRounds; ++i) {
          ++arrived;
          if (barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
          EXPECT_GE(arrived, i * kUlts);
          barrier_wait(&barrier);
        }
      });
    }
    ults.join_all();
    EXPECT_EQ(serial, kRounds);
    EXPECT_EQ(barrier_destroy(&barrier), 0);
  }
}

TEST(Barrier, MayBeDestroyedByTheFirstWhoLeaves) {
  ScopedScheduler scheduler(2, 13);
  for (int round = 0; round < 50; ++round) {
    auto barrier = std::make_unique<pthread_barrier_t>();
    barrier_init(barrier.get(), nullptr, 3);
    pthread_barrier_t* const it = barrier.get();
    Ults ults;
    for (int u = 0; u < 3; ++u) {
      ults.run_on(u % 2, [&] {
        if (barrier_wait(it) != PTHREAD_BARRIER_SERIAL_THREAD) return;
        barrier_destroy(it);
        barrier.reset();
      });
    }
  }
}

// A mutex was at its address before, and the thread that unlocked the mutex is late with its wake-up.
TEST(Barrier, IsNotOpenedByAWakeUpForWhatItsMemoryWas) {
  ScopedScheduler scheduler(1);
  pthread_barrier_t barrier;
  ASSERT_EQ(barrier_init(&barrier, nullptr, 2), 0);
  bool passed = false;
  Ults ults;
  ults.run([&] {
    barrier_wait(&barrier);
    passed = true;
  });
  ults.run([&] {
    EXPECT_EQ(wake(&barrier, 1), 0);
    ult::yield();
    EXPECT_FALSE(passed);
    barrier_wait(&barrier);
  });
  ults.join_all();
  EXPECT_TRUE(passed);
}

TEST(Barrier, RefusesACountOfNone) {
  pthread_barrier_t barrier;
  EXPECT_EQ(barrier_init(&barrier, nullptr, 0), EINVAL);
}

TEST(Semaphore, CountsUltsAndKernelThreads) {
  for (const int workers : {1, 2}) {
    ScopedScheduler scheduler(workers, 17);
    sem_t semaphore;
    ASSERT_EQ(semaphore_init(&semaphore, 0, 0), 0);
    constexpr int kEach = 300;
    const auto take = [&] {
      for (int i = 0; i < kEach; ++i) EXPECT_EQ(semaphore_wait(&semaphore, 0, nullptr), 0);
    };
    Ults ults;
    for (int u = 0; u < 4; ++u) ults.run_on(u % workers, take);
    ults.run([&] {
      for (int i = 0; i < 5 * kEach; ++i) semaphore_post(&semaphore);
    });
    std::thread kernel_thread(take);
    kernel_thread.join();
    ults.join_all();
    int value = -1;
    sem_getvalue(&semaphore, &value);
    EXPECT_EQ(value, 0);
  }
}

TEST(Semaphore, TimedWaitsEnd) {
  ScopedScheduler scheduler(1);
  Ults ults;
  ults.run([] {
    sem_t semaphore;
    semaphore_init(&semaphore, 0, 0);
    const timespec time = in(1'000'000, CLOCK_REALTIME);
    EXPECT_EQ(semaphore_wait(&semaphore, CLOCK_REALTIME, &time), -1);
    EXPECT_EQ(errno, ETIMEDOUT);
  });
}

long futex(std::atomic<int>* word, int operation, int value, const timespec* time = nullptr) {
  const long arguments[6] = {reinterpret_cast<long>(word), operation, value,
                             reinterpret_cast<long>(time), 0,         0};
  long result = 0;
  EXPECT_TRUE(futex_call(arguments, &result));
  return result;
}

TEST(FutexCalls, OfUltsWaitAndWake) {
  for (const int operation : {FUTEX_WAIT, FUTEX_WAIT_PRIVATE}) {
    ScopedScheduler scheduler(1);
    std::atomic<int> word{0};
    Ults ults;
    ults.run([&] {
      while (word == 0) futex(&word, operation, 0);
      errno = 0;
      EXPECT_EQ(futex(&word, operation, 0), -1);
      EXPECT_EQ(errno, EAGAIN);
      const timespec duration = {0, 500'000};
      EXPECT_EQ(futex(&word, operation, 1, &duration), -1);
      EXPECT_EQ(errno, ETIMEDOUT);
    });
    ults.run([&] {
      word = 1;
      futex(&word, operation == FUTEX_WAIT ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, 1);
    });
  }
}

}  // namespace
}  // namespace heddle::process
