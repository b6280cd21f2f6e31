// From spawn to join: turns, stacks, ends.

#include "exec/ult/ult.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <string>
#include <vector>

#include "exec/ult/completion.h"
#include "exec/ult/executable_stacks.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

TEST(Ult, RunsItsFunctionWithItsArgument) {
  ScopedScheduler scheduler(2);
  int argument = 0;
  Ult* ult = nullptr;
  ASSERT_FALSE(spawn([](void* p) { *static_cast<int*>(p) = 7; }, &argument, {}, &ult));
  join(ult);
  EXPECT_EQ(argument, 7);
}

TEST(Ult, KnowsItselfItsOwnerAndItsWorker) {
  ScopedScheduler scheduler(2);
  EXPECT_EQ(current(), nullptr);
  int owned = 0;
  Ult* seen = nullptr;
  void* seen_owner = nullptr;
  Ults ults;
  Ult* ult = ults.run(
      [&] {
        seen = current();
        seen_owner = owner(*current());
      },
      {.worker = 1, .owner = &owned});
  EXPECT_EQ(worker_of(*ult), 1);
  ults.join_all();
  EXPECT_EQ(seen, ult);
  EXPECT_EQ(seen_owner, &owned);
}

TEST(Ult, TakesTurnsInTheOrderOfTheQueue) {
  ScopedScheduler scheduler(1);
  std::string order;
  Ults ults;
  ults.run([&] {
    Ults inner;  // spawned by a ult of the only worker: none runs before all are there
    for (char name : {'a', 'b', 'c'}) {
      inner.run([&order, name] {
        for (int i = 0; i < 3; ++i) {
          order += name;
          yield();
        }
      });
    }
  });
  ults.join_all();
  EXPECT_EQ(order, "abcabcabc");
}

int finish_deep(int depth) {
  if (depth > 0) return finish_deep(depth - 1) + 1;
  void (*volatile finish)() = finish_current;  // hides from the compiler that this never returns
  finish();
  return 0;
}

TEST(Ult, MayFinishFromTheDepthOfItsCalls) {
  ScopedScheduler scheduler(1);
  bool passed = false;
  Ults ults;
  ults.run([&] {
    finish_deep(20);
    passed = true;
  });
  ults.join_all();
  EXPECT_FALSE(passed);
}

TEST(Ult, CanJoinAnotherOne) {
  ScopedScheduler scheduler(2);
  int sum = 0;
  Ults ults;
  ults.run([&] {
    for (int i = 1; i <= 10; ++i) {
      Ults inner;
      inner.run_on(i % 2, [&sum, i] { sum += i; });
      inner.join_all();
    }
  });
  ults.join_all();
  EXPECT_EQ(sum, 55);
}

TEST(Ult, IsMadeOfAReusableOneThatHasEnded) {
  if (kSanitized) GTEST_SKIP() << "nothing is kept there (run/ult_pool.h)";
  ScopedScheduler scheduler(2);
  Ults ults;
  std::vector<pthread_t> threads;
  std::vector<int> workers;
  for (int i = 0; i < 6; ++i) {
    Ult* ult = ults.run(
        [&, i] {
          threads.push_back(pthread_self());
          workers.push_back(worker_of(*current()));
          if (i == 3) finish_current();
          yield();
        },
        {.worker = i % 2, .reusable = true});
    EXPECT_NE(thread_of(*ult), pthread_t{});
    ults.join_all();
  }
  EXPECT_EQ(threads, std::vector<pthread_t>(6, threads[0]));
  EXPECT_EQ(workers, (std::vector<int>{0, 1, 0, 1, 0, 1}));
}

TEST(Ult, ThousandsRunOnTwoWorkers) {
  constexpr int kUlts = kSanitized ? 200 : 1024;
  ScopedScheduler scheduler(2);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  Completion all_there;
  std::vector<Completion> go(kUlts);
  Ults ults;
  for (int i = 0; i < kUlts; ++i) {
    ults.run_on(i % 2, [&, i] {
      if (++running == kUlts) all_there.set();
      go[static_cast<std::size_t>(i)].wait();
    });
  }
  all_there.wait();
  most = running.load();
  for (Completion& one : go) one.set();
  ults.join_all();
  EXPECT_EQ(most, kUlts);
}

TEST(Ult, KnowsItsStack) {
  ScopedScheduler scheduler(1);
  bool inside = false;
  std::size_t bytes = 0;
  Ults ults;
  ults.run(
      [&] {
        const StackRange range = stack_of(*current());
        const char* here = static_cast<const char*>(__builtin_frame_address(0));
        const char* low = static_cast<const char*>(range.low);
        inside = low < here && here < low + range.bytes;
        bytes = range.bytes;
      },
      {.stack_bytes = 1 << 20});
  ults.join_all();
  EXPECT_TRUE(inside);
  EXPECT_GE(bytes, std::size_t{1} << 20);
}

TEST(Ult, SpawnFailsWithASentenceWhenTheStackDoesNotFit) {
  ScopedScheduler scheduler(1);
  Ult* ult = nullptr;
  Error e = spawn([](void*) {}, nullptr, {.stack_bytes = std::size_t{1} << 60}, &ult);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), kErrorNoMemory);
  EXPECT_EQ(ult, nullptr);
}

int use_up_the_stack(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth == INT_MAX ? 0 : use_up_the_stack(depth + 1) + frame[0];
}

bool died_of_a_bad_access(int status) {
  if (kSanitized) return WIFEXITED(status) ? WEXITSTATUS(status) != 0 : WIFSIGNALED(status);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

TEST(UltDeathTest, StackOverflowHitsTheGuardPage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ScopedScheduler scheduler(1);
        Ults ults;
        ults.run([] { use_up_the_stack(0); });
        ults.join_all();
        _exit(0);
      },
      died_of_a_bad_access, "");
}

#if defined(__x86_64__)
// Calls code that lies on the caller's stack.
int run_code_on_stack() {
  alignas(16) unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3};  // mov $42, %eax; ret
  asm volatile("" : : "r"(code) : "memory");
  return reinterpret_cast<int (*)()>(reinterpret_cast<void*>(code))();
}

TEST(UltDeathTest, CodeOnAStackRunsOnlyWhereItIsAskedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ScopedScheduler scheduler(1);
        Ults ults;
        ults.run([] { run_code_on_stack(); });
        ults.join_all();
        _exit(0);
      },
      died_of_a_bad_access, "");
}

// One that was there, one of the pool, one that is made later.
TEST(UltDeathTest, StacksBecomeExecutableWhetherTheyAreThereOrCome) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ScopedScheduler scheduler(2);
        Ults ults;
        ults.run([] {}, {.reusable = true});
        ults.join_all();
        int sum = 0;
        Completion ready;
        ults.run([&] {
          ready.wait();
          sum += run_code_on_stack();
        });
        const int error = make_stacks_executable();
        ready.set();
        ults.join_all();
        for (const bool reusable : {true, false})
          ults.run([&] { sum += run_code_on_stack(); }, {.worker = 0, .reusable = reusable});
        ults.join_all();
        _exit(error == 0 && sum == 3 * 42 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace heddle::ult
