// What libc, libstdc++ and the processor keep for a thread, a ult has for itself, whichever ult runs in between.

#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdio.h>

#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "exec/ult/test_support.h"
#include "exec/ult/ult.h"

namespace heddle::ult {
namespace {

TEST(UltState, HasItsOwnErrno) {
  ScopedScheduler scheduler(2);
  std::atomic<int> wrong{0};
  Ults ults;
  for (int number = 1; number <= 8; ++number) {
    ults.run_on(number % 2, [&wrong, number] {
      errno = number;
      for (int i = 0; i < 1000; ++i) {
        yield();
        if (errno != number) ++wrong;
      }
    });
  }
  ults.join_all();
  EXPECT_EQ(wrong, 0);
}

thread_local int private_number = 100;

struct CountsItsEnd {
  std::atomic<int>* ends = nullptr;
  Ult* ult_at_end = nullptr;
  ~CountsItsEnd() {
    if (ends != nullptr) ++*ends;
  }
};
thread_local CountsItsEnd counts_its_end;

TEST(UltState, HasItsOwnThreadLocalsThatAreDestroyedBeforeJoinReturns) {
  ScopedScheduler scheduler(2);
  std::atomic<int> ends{0};
  std::atomic<int> wrong{0};
  Ults ults;
  for (int number = 0; number < 16; ++number) {
    ults.run_on(number % 2, [&, number] {
      if (private_number != 100) ++wrong;
      private_number = number;
      counts_its_end.ends = &ends;
      for (int i = 0; i < 100; ++i) yield();
      if (private_number != number) ++wrong;
    });
  }
  ults.join_all();
  EXPECT_EQ(ends, 16);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(private_number, 100);
}

struct YieldsAtItsEnd {
  bool* yielded = nullptr;
  ~YieldsAtItsEnd() {
    if (yielded == nullptr) return;
    yield();
    *yielded = current() != nullptr;
  }
};
thread_local YieldsAtItsEnd yields_at_its_end;

TEST(UltState, MayStillSwitchInDestructorsOfItsThreadLocals) {
  ScopedScheduler scheduler(1);
  bool yielded = false;
  Ults ults;
  ults.run([&] { yields_at_its_end.yielded = &yielded; });
  ults.run([] { yield(); });
  ults.join_all();
  EXPECT_TRUE(yielded);
}

std::atomic<int> key_ends;

TEST(UltState, HasItsOwnPthreadKeysWhoseDestructorsRunBeforeJoinReturns) {
  key_ends = 0;
  pthread_key_t key;
  // The destructor uses more stack than lies above the ult's frames.
  const auto destructor = [](void* value) {
    char much[32 << 10];
    std::memset(much, static_cast<int>(reinterpret_cast<std::uintptr_t>(value)), sizeof much);
    key_ends += static_cast<volatile char*>(much)[100];
  };
  ASSERT_EQ(pthread_key_create(&key, destructor), 0);
  ScopedScheduler scheduler(2);
  std::atomic<int> wrong{0};
  Ults ults;
  for (std::uintptr_t number = 1; number <= 16; ++number) {
    ults.run_on(static_cast<int>(number % 2), [&, number] {
      pthread_setspecific(key, reinterpret_cast<void*>(number));
      for (int i = 0; i < 100; ++i) yield();
      if (pthread_getspecific(key) != reinterpret_cast<void*>(number)) ++wrong;
    });
  }
  ults.join_all();
  EXPECT_EQ(key_ends, 16 * 17 / 2);
  EXPECT_EQ(wrong, 0);
  pthread_key_delete(key);
}

int throw_through(int depth) {
  if (depth == 0) throw std::runtime_error("bottom");
  std::string on_the_way = "destroyed while unwinding";
  return throw_through(depth - 1) + static_cast<int>(on_the_way.size());
}

TEST(UltState, MayYieldInsideACatchAndRethrow) {
  ScopedScheduler scheduler(2);
  std::atomic<int> caught{0};
  Ults ults;
  for (int number = 0; number < 16; ++number) {
    ults.run_on(number % 2, [&] {
      for (int i = 0; i < 50; ++i) {
        try {
          try {
            throw_through(i % 7);
          } catch (const std::runtime_error&) {
            yield();  // the other ults throw and catch meanwhile
            throw;
          }
        } catch (const std::exception& e) {
          yield();
          if (std::string(e.what()) == "bottom" && std::uncaught_exceptions() == 0) ++caught;
        }
      }
    });
  }
  ults.join_all();
  EXPECT_EQ(caught, 16 * 50);
}

TEST(UltState, HoldsStdioLocksByItself) {
  ScopedScheduler scheduler(1);
  FILE* file = tmpfile();
  ASSERT_NE(file, nullptr);
  bool others_got_it = false;
  bool owner_got_it_twice = false;
  Ults ults;
  ults.run([&] {
    Ults inner;
    inner.run([&] {
      flockfile(file);
      yield();
      owner_got_it_twice = ftrylockfile(file) == 0;
      if (owner_got_it_twice) funlockfile(file);
      fprintf(file, "one line\n");
      funlockfile(file);
    });
    inner.run([&] { others_got_it = ftrylockfile(file) == 0; });
  });
  ults.join_all();
  EXPECT_TRUE(owner_got_it_twice);
  EXPECT_FALSE(others_got_it);
  EXPECT_EQ(ftell(file), 9);
  fclose(file);
}

TEST(UltState, AllocatesAndFreesAcrossSwitchesAndWorkers) {
  ScopedScheduler scheduler(2);
  constexpr int kUlts = 32;
  constexpr int kRounds = 200;
  std::vector<std::atomic<char*>> mailbox(kUlts);
  std::atomic<int> wrong{0};
  Ults ults;
  for (int number = 0; number < kUlts; ++number) {
    ults.run_on(number % 2, [&, number] {
      Random random(static_cast<std::uint64_t>(number) + 1);
      for (int i = 0; i < kRounds; ++i) {
        const std::size_t size = 16 + random.below(3000);
        char* block = static_cast<char*>(malloc(size));
        std::memset(block, number, size);
        yield();
        if (block[0] != number || block[size - 1] != number) ++wrong;
        // Another ult frees it, perhaps on the other worker.
        free(mailbox[random.below(kUlts)].exchange(block, std::memory_order_acq_rel));
      }
    });
  }
  ults.join_all();
  for (auto& slot : mailbox) free(slot);
  EXPECT_EQ(wrong, 0);
}

TEST(UltState, KeepsItsRoundingMode) {
  ScopedScheduler scheduler(1);
  std::vector<int> modes{FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::atomic<int> wrong{0};
  Ults ults;
  for (int mode : modes) {
    ults.run([&wrong, mode] {
      fesetround(mode);
      volatile float one = 1.0f;
      volatile float tiny = 1e-10f;
      const float sum = one + tiny;
      for (int i = 0; i < 100; ++i) {
        yield();
        if (fegetround() != mode || one + tiny != sum) ++wrong;
      }
    });
  }
  ults.join_all();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(fegetround(), FE_TONEAREST);
}

TEST(UltState, LocksRecursiveMutexesAsItself) {
  ScopedScheduler scheduler(1);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  int other = -1;
  int again = -1;
  Ults ults;
  ults.run([&] {
    Ults inner;
    inner.run([&] {
      pthread_mutex_lock(&mutex);
      yield();
      again = pthread_mutex_trylock(&mutex);
      pthread_mutex_unlock(&mutex);
      pthread_mutex_unlock(&mutex);
    });
    inner.run([&] { other = pthread_mutex_trylock(&mutex); });
  });
  ults.join_all();
  EXPECT_EQ(again, 0);
  EXPECT_EQ(other, EBUSY);
  pthread_mutex_destroy(&mutex);
  pthread_mutexattr_destroy(&attributes);
}

}  // namespace
}  // namespace heddle::ult
