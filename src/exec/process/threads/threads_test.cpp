#include "exec/process/threads/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>

#include "base/platform/clock.h"
#include "base/test_seeds.h"
#include "exec/process/locks/conditions.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/threads/thread_leavings.h"
#include "exec/ult/test_support.h"

namespace heddle::process {
namespace {

using ult::ScopedScheduler;
using ult::Ults;

// Runs the body as the main ult of a rank, on the first of some workers.
void as_rank(int workers, std::function<void()> body, unsigned seed = 0) {
  ScopedScheduler scheduler(workers, seed);
  Ults ults;
  ults.run_on(0, [&] {
    Rank rank(0);
    Rank::enter(&rank);
    body();
    EXPECT_EQ(live_threads(rank), 0);
    Rank::enter(nullptr);
  });
  ults.join_all();
  EXPECT_FALSE(ults_remain());
}

pthread_t start(void* (*function)(void*), void* argument) {
  pthread_t thread = 0;
  EXPECT_EQ(create_thread(&thread, nullptr, function, argument, ThreadKind::kUlt), 0);
  return thread;
}

TEST(UltThreads, KnowTheirRankAndGiveTheirResult) {
  as_rank(2, [] {
    for (int i = 0; i < 20; ++i) {
      const auto tell = [](void* rank) -> void* {
        return Rank::current() == rank ? rank : nullptr;
      };
      const pthread_t thread = start(tell, Rank::current());
      void* result = nullptr;
      EXPECT_EQ(join_thread(thread, &result, kNever), 0);
      EXPECT_EQ(result, Rank::current());
    }
  });
}

TEST(UltThreads, SpreadOverTheWorkersBeginningBehindTheMainStrand) {
  as_rank(3, [] {
    std::array<int, 6> workers{};
    std::array<pthread_t, 6> threads{};
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const auto tell = [](void* worker) -> void* {
        *static_cast<int*>(worker) = ult::worker_of(*ult::current());
        return nullptr;
      };
      workers[i] = -1;
      threads[i] = start(tell, &workers[i]);
    }
    for (const pthread_t thread : threads) join_thread(thread, nullptr, kNever);
    std::array<int, 3> count{};
    for (const int worker : workers) ++count[static_cast<std::size_t>(worker)];
    EXPECT_EQ(workers[0], 1);
  });
}

TEST(UltThreads, AreJoinedOnceAndInTime) {
  as_rank(2, [] {
    static sem_t release;
    semaphore_init(&release, 0, 0);
    const auto wait = [](void*) -> void* {
      EXPECT_EQ(join_thread(pthread_self(), nullptr, kNever), EDEADLK);
      semaphore_wait(&release, 0, nullptr);
      return nullptr;
    };
    const pthread_t thread = start(wait, nullptr);
    EXPECT_EQ(join_thread(thread, nullptr, 0), EBUSY);
    EXPECT_EQ(join_thread(thread, nullptr, platform::now_ns() + 1'000'000), ETIMEDOUT);
    semaphore_post(&release);
    EXPECT_EQ(join_thread(thread, nullptr, kNever), 0);
  });
}

TEST(UltThreads, MayBeDetachedBeforeAndAfterTheirEnd) {
  for (const unsigned seed : TestSeeds(0, 5)) {
    as_rank(
        2,
        [] {
          static std::atomic<int> ended;
          ended = 0;
          const auto end = [](void*) -> void* {
            ++ended;
            return nullptr;
          };
          for (int i = 0; i < 10; ++i) {
            const pthread_t thread = start(end, nullptr);
            if (i % 2 != 0) {
              while (ended <= i) ult::yield();
            }
            EXPECT_EQ(detach_thread(thread), 0);
          }
          while (ended != 10 || live_threads(*Rank::current()) != 0) ult::yield();
        },
        seed);
  }
}

// A thread may run before pthread_create has told its creator the id.
TEST(UltThreads, MayDetachThemselvesAtOnce) {
  for (const unsigned seed : TestSeeds(0, 20)) {
    as_rank(
        2,
        [] {
          const auto leave = [](void*) -> void* {
            EXPECT_EQ(detach_thread(pthread_self()), 0);
            EXPECT_EQ(detach_thread(pthread_self()), EINVAL);
            return nullptr;
          };
          for (int i = 0; i < 10; ++i) start(leave, nullptr);
          while (live_threads(*Rank::current()) != 0) ult::yield();
        },
        seed);
  }
}

// Or may have ended by then, and be detached by another that it has told.
TEST(UltThreads, MayBeDetachedByAnotherBeforeTheirCreatorKnowsThem) {
  for (const unsigned seed : TestSeeds(0, 20)) {
    as_rank(
        3,
        [] {
          static std::atomic<pthread_t> told;
          static constexpr int kThreads = 20;
          told = 0;
          const auto detach_all = [](void*) -> void* {
            for (int i = 0; i < kThreads; ++i) {
              pthread_t thread = 0;
              while ((thread = told.exchange(0)) == 0) ult::yield();
              for (int wait = 0; wait < i; ++wait) ult::yield();
              EXPECT_EQ(detach_thread(thread), 0);
            }
            return nullptr;
          };
          const auto tell = [](void*) -> void* {
            told = pthread_self();
            return nullptr;
          };
          const pthread_t detacher = start(detach_all, nullptr);
          for (int i = 0; i < kThreads; ++i) {
            start(tell, nullptr);
            while (live_threads(*Rank::current()) > 1 && told == 0) ult::yield();
            while (told != 0) ult::yield();
          }
          join_thread(detacher, nullptr, kNever);
          while (live_threads(*Rank::current()) != 0) ult::yield();
        },
        seed);
  }
}

TEST(UltThreads, FindKeysEmptyAndRunTheirDestructorsBeforeJoinReturns) {
  as_rank(2, [] {
    static pthread_key_t key, plain;
    static std::atomic<int> destroyed;
    destroyed = 0;
    key_create(&key, [](void* value) {
      EXPECT_NE(ult::current(), nullptr);
      ult::yield();
      if (destroyed++ == 0) pthread_setspecific(key, value);  // once more
    });
    key_create(&plain, nullptr);
    for (int i = 0; i < 3; ++i) {
      destroyed = 0;
      const auto use = [](void* value) -> void* {
        EXPECT_EQ(pthread_getspecific(key), nullptr);
        EXPECT_EQ(pthread_getspecific(plain), nullptr);
        pthread_setspecific(key, value);
        pthread_setspecific(plain, value);
        return nullptr;
      };
      join_thread(start(use, &i), nullptr, kNever);
      EXPECT_EQ(destroyed, 2);
    }
    key_delete(key);
    key_delete(plain);
  });
}

TEST(UltThreads, LeaveThroughPthreadExitFromTheDepth) {
  as_rank(2, [] {
    static int unwound;
    unwound = 0;
    struct Guard {
      ~Guard() { ++unwound; }
    };
    for (int i = 0; i < 3; ++i) {
      const auto leave = [](void* value) -> void* {
        const Guard guard;
        exit_thread(value);
      };
      void* result = nullptr;
      join_thread(start(leave, &i), &result, kNever);
      EXPECT_EQ(result, &i);
    }
    EXPECT_EQ(unwound, 3);
  });
}

TEST(UltThreads, HaveTheStackAndTheNameTheyAskedFor) {
  as_rank(1, [] {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    const auto look = [](void*) -> void* {
      pthread_attr_t own;
      EXPECT_EQ(get_attributes(pthread_self(), &own), 0);
      size_t bytes = 0;
      pthread_attr_getstacksize(&own, &bytes);
      EXPECT_GE(bytes, size_t{1} << 20);
      int error = -1;
      EXPECT_TRUE(set_name(pthread_self(), "weaver", &error));
      char name[16] = "";
      EXPECT_TRUE(get_name(pthread_self(), name, sizeof name, &error));
      EXPECT_STREQ(name, "weaver");
      EXPECT_TRUE(set_name(pthread_self(), "much too long a name", &error));
      EXPECT_EQ(error, ERANGE);
      return nullptr;
    };
    pthread_t thread = 0;
    ASSERT_EQ(create_thread(&thread, &attributes, look, nullptr, ThreadKind::kUlt), 0);
    join_thread(thread, nullptr, kNever);
  });
}

TEST(KernelThreads, AreJoinedByUltsThatPark) {
  as_rank(1, [] {
    static sem_t release;
    semaphore_init(&release, 0, 0);
    pthread_t thread = 0;
    const auto wait = [](void* value) -> void* {
      EXPECT_EQ(ult::current(), nullptr);
      semaphore_wait(&release, 0, nullptr);
      return value;
    };
    ASSERT_EQ(create_thread(&thread, nullptr, wait, &thread, ThreadKind::kKernel), 0);
    const pthread_t poster = start(
        [](void*) -> void* {
          semaphore_post(&release);
          return nullptr;
        },
        nullptr);
    void* result = nullptr;
    EXPECT_EQ(join_thread(thread, &result, kNever), 0);
    EXPECT_EQ(result, &thread);
    EXPECT_EQ(join_thread(poster, nullptr, kNever), 0);
  });
}

}  // namespace
}  // namespace heddle::process
