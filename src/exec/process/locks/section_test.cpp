// Locks of a library that is called in a section without switch: what waits there, waits in place.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "base/standing.h"
#include "exec/process/locks/conditions.h"
#include "exec/process/locks/locks.h"
#include "exec/ult/test_support.h"

namespace heddle::process {
namespace {

using ult::ScopedScheduler;
using ult::Ults;

// Runs `section` without switch on a worker where another ult wants to run, too, and says whether that one did.
bool lets_others_run(const std::function<void()>& section) {
  ScopedScheduler scheduler(1);
  Ults ults;
  bool over = false, ran = false;
  long turns = 0;
  ults.run([&] {
    while (!over) {
      ++turns;
      ult::yield();
    }
  });
  ults.run([&] {
    while (turns == 0) ult::yield();
    const long before = turns;
    {
      const Within<Standing::kSection> inside;
      section();
    }
    ran = turns != before;
    over = true;
  });
  ults.join_all();
  return ran;
}

TEST(Section, NoTurnIsTakenHoweverOftenItLocks) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  EXPECT_FALSE(lets_others_run([&] {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(mutex_lock(&mutex), 0);
      EXPECT_EQ(mutex_unlock(&mutex), 0);
      EXPECT_EQ(mutex_trylock(&mutex), 0);
      EXPECT_EQ(mutex_unlock(&mutex), 0);
      EXPECT_EQ(rwlock_rdlock(&lock, 0, nullptr), 0);
      EXPECT_EQ(rwlock_unlock(&lock), 0);
    }
  }));
}

TEST(Section, AMutexIsWaitedForInPlace) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<bool> held{false}, asked{false};
  std::thread holder([&] {
    mutex_lock(&mutex);
    held = true;
    while (!asked) std::this_thread::yield();
    mutex_unlock(&mutex);
  });
  while (!held) std::this_thread::yield();
  EXPECT_FALSE(lets_others_run([&] {
    asked = true;
    EXPECT_EQ(mutex_lock(&mutex), 0);
    EXPECT_EQ(mutex_unlock(&mutex), 0);
  }));
  holder.join();
}

TEST(Section, AConditionAndASemaphoreAreWaitedForInPlace) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  sem_t semaphore;
  ASSERT_EQ(semaphore_init(&semaphore, 0, 0), 0);
  bool waits = false, told = false;  // guarded by the mutex
  std::thread other([&] {
    for (bool seen = false; !seen;) {
      mutex_lock(&mutex);
      seen = waits;
      told = seen;
      if (seen) cond_signal(&condition);
      mutex_unlock(&mutex);
    }
    semaphore_post(&semaphore);
  });
  EXPECT_FALSE(lets_others_run([&] {
    mutex_lock(&mutex);
    waits = true;
    while (!told) cond_wait(&condition, &mutex, kOwnClock, nullptr);
    mutex_unlock(&mutex);
    EXPECT_EQ(semaphore_wait(&semaphore, 0, nullptr), 0);
  }));
  other.join();
}

}  // namespace
}  // namespace heddle::process
