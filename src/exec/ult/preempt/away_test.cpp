// Ults that stand in system calls give their worker to others, and come back to it.

#include "exec/ult/preempt/away.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/futex.h"
#include "base/spin_lock.h"
#include "base/standing.h"
#include "base/test_seeds.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/strand.h"
#include "exec/ult/switch/system_call.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

// Sanitizers hold signals back: no ult goes away there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSignals = false;
#else
constexpr bool kSignals = true;
#endif

SchedulerOptions options(int workers, std::uint64_t yield_seed = 0) {
  SchedulerOptions wanted;
  wanted.workers = workers;
  wanted.yield_seed = yield_seed;
  wanted.slice_ns = 1'000'000;
  wanted.is_program_code = [](std::uintptr_t, std::uintptr_t) { return false; };
  return wanted;
}

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Pipe(Pipe&&) = delete;

  void put(char byte) { EXPECT_EQ(write(ends_[1], &byte, 1), 1); }
  char take() {
    char byte = 0;
    EXPECT_EQ(read(ends_[0], &byte, 1), 1);
    return byte;
  }
  int end() const { return ends_[0]; }

 private:
  int ends_[2];
};

// A lock as libc has them: it waits in the kernel.
class KernelLock {
 public:
  void lock() {
    std::uint32_t seen = kFree;
    if (word_.compare_exchange_strong(seen, kHeld)) return;
    while (word_.exchange(kAwaited) != kFree) platform::futex_wait(word_, kAwaited);
  }
  void unlock() {
    if (word_.exchange(kFree) == kAwaited) platform::futex_wake_one(word_);
  }
  // Returns when this kernel thread waits for the lock.
  void wait_for_waiter(int kernel_thread) const {
    const std::string path = "/proc/self/task/" + std::to_string(kernel_thread) + "/syscall";
    for (SystemCall call; call.number != SYS_futex || call.arguments[0] != address();
         sched_yield()) {
      std::string line;
      std::getline(std::ifstream(path), line);
      call = {};
      parse_system_call(line.c_str(), &call);
    }
  }

 private:
  static constexpr std::uint32_t kFree = 0, kHeld = 1, kAwaited = 2;
  long address() const { return reinterpret_cast<long>(&word_); }

  std::atomic<std::uint32_t> word_{kFree};
};

class Away : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kSignals) GTEST_SKIP() << "sanitizers hold signals back";
  }
};

// All but one ult of a worker stand in read() at a time.
void pass_token(const SchedulerOptions& wanted, int rounds) {
  constexpr int kUlts = 6;
  ScopedScheduler scheduler(wanted);
  std::vector<Pipe> pipes(kUlts);
  std::atomic<int> sum{0};
  Ults ults;
  for (int number = 0; number < kUlts; ++number) {
    ults.run_on(number % wanted.workers, [&, number] {
      for (int round = 0; round < rounds; ++round) {
        errno = number;
        const char token = pipes[static_cast<std::size_t>(number)].take();
        EXPECT_EQ(errno, number);
        if (wanted.yield_seed == 0) {
          EXPECT_EQ(worker_of(*current()), number % wanted.workers);
        }
        sum += token;
        pipes[static_cast<std::size_t>((number + 1) % kUlts)].put(
            static_cast<char>(token % 100 + 1));
      }
    });
  }
  pipes[0].put(1);
  ults.join_all();
  int expected = 0;
  for (int i = 0; i < kUlts * rounds; ++i) expected += i % 100 + 1;
  EXPECT_EQ(sum, expected);
}

TEST_F(Away, UltsOfOneWorkerWaitForEachOtherInTheKernel) {
  pass_token(options(1), 20);
}

TEST_F(Away, UltsOfTwoWorkersWaitForEachOtherInTheKernel) {
  pass_token(options(2), 20);
}

TEST_F(Away, WorksWithForcedYields) {
  for (const unsigned seed : TestSeeds(1, 3))
    pass_token(options(2, seed), TestSeeds::many() ? 1 : 5);
}

TEST_F(Away, AWakeUpThatComesMeanwhileIsKept) {
  ScopedScheduler scheduler(options(1));
  Pipe pipe;
  std::atomic<bool> woken{false};
  Ults ults;
  Ult* const reader = ults.run([&] {
    pipe.take();
    Strand::park();
    woken = true;
  });
  ults.run([&] {
    while (reader->state != State::kAway) yield();  // same worker
    static_cast<Strand*>(reader)->wake();
    pipe.put('x');
  });
  ults.join_all();
  EXPECT_TRUE(woken);
}

TEST_F(Away, ACallWithADurationLastsSoLong) {
  ScopedScheduler scheduler(options(1));
  Pipe empty;
  Ults ults;
  for (int i = 0; i < 3; ++i) {
    ults.run([&] {
      pollfd wanted = {empty.end(), POLLIN, 0};
      const std::int64_t began = platform::now_ns();
      EXPECT_EQ(::poll(&wanted, 1, 100), 0);
      EXPECT_GE(platform::now_ns() - began, 99'000'000);
    });
  }
  ults.join_all();
}

TEST_F(Away, TheSchedulerStopsWhileAUltIsAway) {
  Pipe pipe;
  std::atomic<bool> ended{false};
  Ults ults;
  {
    ScopedScheduler scheduler(options(1));
    Ult* const reader = ults.run([&] {
      pipe.take();
      ended = true;
    });
    Ults others;
    others.run([&] {
      while (reader->state != State::kAway) yield();
    });
  }
  EXPECT_FALSE(ended);
  pipe.put('x');
  ScopedScheduler again(options(1));
  ults.join_all();
  EXPECT_TRUE(ended);
}

// The first ult that waits is woken, and needs the worker that the second one keeps.
TEST_F(Away, AUltThatMayNotLeaveSeesThatItsLockIsFree) {
  ScopedScheduler scheduler(options(1));
  KernelLock lock;
  std::atomic<int> kernel_thread{0};
  Ults ults;
  lock.lock();
  Ult* const first = ults.run([&] {
    kernel_thread = static_cast<int>(gettid());
    lock.lock();
    lock.unlock();
  });
  ults.run([&] {
    while (first->state != State::kAway) yield();
    lock.wait_for_waiter(kernel_thread);
    kernel_thread = static_cast<int>(gettid());
    const Within<Standing::kLoading> loading;
    lock.lock();
    lock.unlock();
  });
  while (kernel_thread == 0) sched_yield();
  const int of_first = kernel_thread;
  while (kernel_thread == of_first) sched_yield();
  lock.wait_for_waiter(kernel_thread);
  lock.unlock();
  ults.join_all();
}

TEST_F(Away, AUltThatHoldsASpinLockKeepsItsWorker) {
  ScopedScheduler scheduler(options(1));
  KernelLock lock;
  SpinLock spin_lock;
  std::atomic<int> kernel_thread{0};
  std::atomic<bool> others_run{false};
  Ults ults;
  lock.lock();
  ults.run([&] {
    const SpinGuard guard(spin_lock);
    kernel_thread = static_cast<int>(gettid());
    lock.lock();
    lock.unlock();
    EXPECT_FALSE(others_run);
  });
  ults.run([&] {
    others_run = true;
    const SpinGuard guard(spin_lock);
  });
  while (kernel_thread == 0) sched_yield();
  lock.wait_for_waiter(kernel_thread);
  usleep(20'000);  // many looks
  lock.unlock();
  ults.join_all();
}

TEST_F(Away, AWaitingSchedulerRunsNothing) {
  ScopedScheduler scheduler(options(2));
  Pipe pipe;
  Ults ults;
  Ult* const reader = ults.run_on(1, [&] { pipe.take(); });
  Ults others;
  others.run_on(1, [&] {
    while (reader->state != State::kAway) yield();
  });
  others.join_all();
  const std::uint64_t before = counters().switches;
  usleep(50'000);
  EXPECT_LE(counters().switches - before, 2U);
  pipe.put('x');
  ults.join_all();
}

}  // namespace
}  // namespace heddle::ult
