// Ults that wait in the kernel outside of their worker. No signal helps here: the call monitor does not run.

#include "exec/ult/outside.h"

#include <gtest/gtest.h>
#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <deque>

#include "base/standing.h"
#include "exec/ult/strand.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

// libc's own semaphore: it waits in the kernel.
class KernelSemaphore {
 public:
  KernelSemaphore() { sem_init(&semaphore_, 1, 0); }
  void post() { sem_post(&semaphore_); }
  bool wait() { return call_outside(wait_here, this); }

 private:
  static void wait_here(void* self) {
    EXPECT_EQ(current(), nullptr);
    while (sem_wait(&static_cast<KernelSemaphore*>(self)->semaphore_) != 0) continue;
    errno = kMark;
  }
  static constexpr int kMark = 4711;

  sem_t semaphore_;

 public:
  static bool left_errno() { return errno == kMark; }
};

void pass_token(int workers, std::uint64_t seed, int rounds) {
  constexpr int kUlts = 6;
  ScopedScheduler scheduler(workers, seed);
  std::deque<KernelSemaphore> turns(kUlts);
  int holder = 0;  // written by the ult that has the token
  std::atomic<int> wrong{0};
  Ults ults;
  for (int number = 0; number < kUlts; ++number) {
    ults.run_on(number % workers, [&, number] {
      const Ult* const self = current();
      for (int round = 0; round < rounds; ++round) {
        if (!turns[static_cast<std::size_t>(number)].wait()) ++wrong;
        if (!KernelSemaphore::left_errno() || current() != self || holder != number) ++wrong;
        if (seed == 0 && worker_of(*self) != number % workers) ++wrong;
        holder = (number + 1) % kUlts;
        turns[static_cast<std::size_t>(holder)].post();
      }
    });
  }
  turns[0].post();
  ults.join_all();
  EXPECT_EQ(wrong, 0) << "seed " << seed;
}

TEST(Outside, UltsOfOneWorkerWaitForEachOtherInTheKernel) {
  pass_token(1, 0, 50);
}

TEST(Outside, UltsOfTwoWorkersWaitForEachOtherInTheKernel) {
  pass_token(2, 0, 50);
}

TEST(Outside, WorksWithForcedYields) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) pass_token(2, seed, 20);
}

TEST(Outside, AWakeUpThatComesMeanwhileIsKept) {
  ScopedScheduler scheduler(1);
  KernelSemaphore semaphore;
  std::atomic<Strand*> waiter{nullptr};
  std::atomic<bool> woken{false};
  Ults ults;
  ults.run([&] {
    waiter = &Strand::current();
    EXPECT_TRUE(semaphore.wait());
    Strand::park();
    woken = true;
  });
  ults.run([&] {
    while (waiter == nullptr) yield();
    waiter.load()->wake();
    semaphore.post();
  });
  ults.join_all();
  EXPECT_TRUE(woken);
}

TEST(Outside, IsForUltsThatMaySwitch) {
  KernelSemaphore semaphore;
  EXPECT_FALSE(semaphore.wait()) << "a kernel thread";
  ScopedScheduler scheduler(1);
  Ults ults;
  ults.run([&] {
    const Within<Standing::kSection> section;
    EXPECT_FALSE(semaphore.wait());
  });
  ults.join_all();
}

}  // namespace
}  // namespace heddle::ult
