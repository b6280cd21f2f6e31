#include "exec/process/locks/locks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "base/platform/clock.h"
#include "base/test_seeds.h"
#include "exec/process/locks/once.h"
#include "exec/ult/test_support.h"

namespace heddle::process {
namespace {

using ult::ScopedScheduler;
using ult::Ults;

int kind_with(int (*set)(pthread_mutexattr_t*, int), int value) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  EXPECT_EQ(set(&attributes, value), 0);
  pthread_mutex_t mutex;
  EXPECT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
  return mutex.__data.__kind;
}

// What locks.cpp takes for the mark of mutexes that it leaves to libc.
TEST(Locks, KnowWhichMutexesAreLeftToLibc) {
  EXPECT_EQ(kind_with(pthread_mutexattr_setrobust, PTHREAD_MUTEX_ROBUST) & 16, 16);
  EXPECT_EQ(kind_with(pthread_mutexattr_setprotocol, PTHREAD_PRIO_INHERIT), 32);
  EXPECT_EQ(kind_with(pthread_mutexattr_setprotocol, PTHREAD_PRIO_PROTECT) & 64, 64);
  EXPECT_EQ(kind_with(pthread_mutexattr_setpshared, PTHREAD_PROCESS_SHARED), 128);
  EXPECT_EQ(kind_with(pthread_mutexattr_settype, PTHREAD_MUTEX_RECURSIVE), 1);
  EXPECT_EQ(kind_with(pthread_mutexattr_settype, PTHREAD_MUTEX_ERRORCHECK), 2);
}

timespec in(std::int64_t ns, clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  const std::int64_t sum = time.tv_nsec + ns;
  return {time.tv_sec + sum / 1'000'000'000, sum % 1'000'000'000};
}

TEST(Locks, RecursiveMutexesKnowTheirUlt) {
  ScopedScheduler scheduler(1);
  pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  Ults ults;
  int inside = 0;
  for (int i = 0; i < 4; ++i) {
    ults.run([&] {
      EXPECT_EQ(mutex_lock(&mutex), 0);
      EXPECT_EQ(mutex_lock(&mutex), 0);
      EXPECT_EQ(++inside, 1);
      ult::yield();
      EXPECT_EQ(mutex_unlock(&mutex), 0);
      ult::yield();
      EXPECT_EQ(--inside, 0);
      EXPECT_EQ(mutex_unlock(&mutex), 0);
    });
  }
}

TEST(Locks, ErrorCheckingMutexesRefuseTheirOwnerAndStrangers) {
  if (kSanitized) GTEST_SKIP() << "ThreadSanitizer reports such an unlock";
  ScopedScheduler scheduler(1);
  pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  Ults ults;
  ults.run([&] {
    EXPECT_EQ(mutex_lock(&mutex), 0);
    EXPECT_EQ(mutex_lock(&mutex), EDEADLK);
    ult::yield();
    EXPECT_EQ(mutex_unlock(&mutex), 0);
  });
  ults.run([&] {
    EXPECT_EQ(mutex_unlock(&mutex), EPERM);
    EXPECT_EQ(mutex_lock(&mutex), 0);
    EXPECT_EQ(mutex_unlock(&mutex), 0);
    EXPECT_EQ(mutex_unlock(&mutex), EPERM);
  });
}

TEST(Locks, TimedLocksGiveUpOnBothClocks) {
  ScopedScheduler scheduler(1);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  Ults ults;
  bool over = false;
  ults.run([&] {
    mutex_lock(&mutex);
    rwlock_rdlock(&rwlock, 0, nullptr);
    while (!over) ult::yield();
    rwlock_unlock(&rwlock);
    mutex_unlock(&mutex);
  });
  ults.run([&] {
    for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
      const timespec soon = in(1'000'000, clock), wrong = {0, -1};
      EXPECT_EQ(mutex_lock_until(&mutex, clock, &soon), ETIMEDOUT);
      EXPECT_EQ(mutex_lock_until(&mutex, clock, &wrong), EINVAL);
      EXPECT_EQ(rwlock_wrlock(&rwlock, clock, &soon), ETIMEDOUT);
      EXPECT_EQ(rwlock_rdlock(&rwlock, clock, &soon), 0);
      rwlock_unlock(&rwlock);
    }
    over = true;
    const timespec late = in(10'000'000'000, CLOCK_REALTIME);
    EXPECT_EQ(mutex_lock_until(&mutex, CLOCK_REALTIME, &late), 0);
    mutex_unlock(&mutex);
  });
}

// Ults of both workers and kernel threads, one mutex: the plain counter shows whether each was alone.
void count_together(unsigned seed, int workers) {
  constexpr int kUlts = 6;
  const int rounds = TestSeeds::rounds(400);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  long counter = 0;
  bool inside = false;
  const auto body = [&] {
    for (int i = 0; i < rounds; ++i) {
      mutex_lock(&mutex);
      EXPECT_FALSE(inside);
      inside = true;
      if (i % 16 == 0) ult::yield();
      ++counter;
      inside = false;
      mutex_unlock(&mutex);
    }
  };
  ScopedScheduler scheduler(workers, seed);
  Ults ults;
  for (int i = 0; i < kUlts; ++i) ults.run_on(i % workers, body);
  std::thread kernel_threads[] = {std::thread(body), std::thread(body)};
  for (std::thread& thread : kernel_threads) thread.join();
  ults.join_all();
  EXPECT_EQ(counter, (kUlts + 2) * rounds) << "seed " << seed;
}

TEST(Locks, UltsAndKernelThreadsShareAMutex) {
  for (const unsigned seed : TestSeeds(0, kSanitized ? 4 : 12)) {
    count_together(seed, 1);
    count_together(seed, 2);
  }
}

TEST(Locks, WhoeverPollsUnderAMutexLetsTheOthersOnIn) {
  ScopedScheduler scheduler(1);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  bool set = false;
  Ults ults;
  ults.run([&] {
    for (bool seen = false; !seen;) {
      mutex_lock(&mutex);
      seen = set;
      mutex_unlock(&mutex);
    }
  });
  ults.run([&] {
    mutex_lock(&mutex);
    set = true;
    mutex_unlock(&mutex);
  });
}

TEST(Locks, SpinningUltsLetTheHolderRun) {
  ScopedScheduler scheduler(1);
  pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  int turns = 0;
  Ults ults;
  for (int i = 0; i < 3; ++i) {
    ults.run([&] {
      spin_lock(&lock);
      ult::yield();
      ++turns;
      pthread_spin_unlock(&lock);
    });
  }
  ults.join_all();
  EXPECT_EQ(turns, 3);
}

TEST(Locks, ReadersShareAndWritersAreAlone) {
  constexpr int kUlts = 8, kRounds = 200;
  for (const int workers : {1, 2}) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    std::atomic<int> readers{0}, writers{0};
    ScopedScheduler scheduler(workers, 7);
    Ults ults;
    for (int u = 0; u < kUlts; ++u) {
      ults.run_on(u % workers, [&, u] {
        for (int i = 0; i < kRounds; ++i) {
          const bool writes = (u + i) % 4 == 0;
          writes ? rwlock_wrlock(&lock, 0, nullptr) : rwlock_rdlock(&lock, 0, nullptr);
          ++(writes ? writers : readers);
          EXPECT_TRUE(writers == 0 || (writers == 1 && readers == 0));
          if (i % 8 == 0) ult::yield();
          --(writes ? writers : readers);
          rwlock_unlock(&lock);
        }
      });
    }
  }
}

pthread_once_t control = PTHREAD_ONCE_INIT;
std::atomic<int> calls{0}, returned{0};

TEST(Once, RunsTheFunctionOnceAndLetsTheOthersWait) {
  ScopedScheduler scheduler(2, 3);
  Ults ults;
  for (int i = 0; i < 8; ++i) {
    ults.run_on(i % 2, [] {
      once(&control, [] {
        ult::yield();
        ++calls;
        ult::yield();
        ++returned;
      });
      EXPECT_EQ(returned, 1);
    });
  }
  ults.join_all();
  EXPECT_EQ(calls, 1);
}

TEST(Once, IsGivenBackByAnException) {
  pthread_once_t own = PTHREAD_ONCE_INIT;
  EXPECT_THROW(once(&own, [] { throw 1; }), int);
  static int ran = 0;
  once(&own, [] { ++ran; });
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace heddle::process
