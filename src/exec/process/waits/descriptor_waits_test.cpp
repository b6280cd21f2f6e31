#include "exec/process/waits/descriptor_waits.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/futex.h"
#include "base/test_seeds.h"
#include "exec/ult/strand.h"
#include "exec/ult/test_support.h"

namespace heddle::process {
namespace {

ult::SchedulerOptions options(int workers, std::uint64_t yield_seed = 0) {
  ult::SchedulerOptions wanted;
  wanted.workers = workers;
  wanted.yield_seed = yield_seed;
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
  bool has_any() const {
    pollfd wanted = readable();
    return poll(&wanted, 1, 0) == 1;
  }
  // Waits as a rank's call does.
  char take() {
    const pollfd wanted = readable();
    while (!has_any()) {
      EXPECT_EQ(wait_for_descriptors(&wanted, 1, platform::kNever), WaitEnd::kDone);
    }
    char byte = 0;
    EXPECT_EQ(read(ends_[0], &byte, 1), 1);
    return byte;
  }
  pollfd readable() const { return {ends_[0], POLLIN, 0}; }

 private:
  int ends_[2];
};

// Each ult waits for the one before it; all on the same workers.
void pass_token(int workers, std::uint64_t seed) {
  constexpr int kUlts = 6, kRounds = 20;
  ult::ScopedScheduler scheduler(options(workers, seed));
  std::vector<Pipe> pipes(kUlts);
  std::atomic<int> sum{0};
  ult::Ults ults;
  for (int number = 0; number < kUlts; ++number) {
    ults.run_on(number % workers, [&, number] {
      for (int round = 0; round < kRounds; ++round) {
        const char token = pipes[static_cast<std::size_t>(number)].take();
        sum += token;
        pipes[static_cast<std::size_t>((number + 1) % kUlts)].put(
            static_cast<char>(token % 100 + 1));
      }
    });
  }
  pipes[0].put(1);
  ults.join_all();
  int expected = 0;
  for (int i = 0; i < kUlts * kRounds; ++i) expected += i % 100 + 1;
  EXPECT_EQ(sum, expected);
}

TEST(DescriptorWaits, UltsOfOneWorkerWaitForEachOther) {
  pass_token(1, 0);
}

TEST(DescriptorWaits, UltsOfTwoWorkersWaitForEachOther) {
  for (const unsigned seed : TestSeeds(0, 5)) pass_token(2, seed);
}

// What one takes the others look for in vain, and wait again.
TEST(DescriptorWaits, ManyWaitForOneDescriptor) {
  constexpr int kUlts = 8;
  ult::ScopedScheduler scheduler(options(2, 1));
  const int semaphore = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK);
  const pollfd wanted = {semaphore, POLLIN, 0};
  std::atomic<int> taken{0};
  ult::Ults ults;
  for (int i = 0; i < kUlts; ++i) {
    ults.run_on(i % 2, [&] {
      std::uint64_t one = 0;
      while (read(semaphore, &one, sizeof one) < 0) {
        EXPECT_EQ(wait_for_descriptors(&wanted, 1, platform::kNever), WaitEnd::kDone);
      }
      ++taken;
    });
  }
  std::thread giver([&] {
    for (int i = 0; i < kUlts; ++i) {
      const std::uint64_t one = 1;
      EXPECT_EQ(write(semaphore, &one, sizeof one), 8);
      std::this_thread::yield();
    }
  });
  ults.join_all();
  giver.join();
  EXPECT_EQ(taken, kUlts);
  close(semaphore);
}

TEST(DescriptorWaits, EndsWithTheFirstOfSeveral) {
  ult::ScopedScheduler scheduler(options(1));
  Pipe first, second;
  ult::Ults ults;
  ults.run([&] {
    const pollfd wanted[3] = {first.readable(), {-1, POLLIN, 0}, second.readable()};
    while (!second.has_any()) {
      EXPECT_EQ(wait_for_descriptors(wanted, 3, platform::kNever), WaitEnd::kDone);
    }
    EXPECT_FALSE(first.has_any());
  });
  ults.run([&] { second.put('x'); });
  ults.join_all();
}

TEST(DescriptorWaits, ReadersDoNotHideAWriter) {
  ult::ScopedScheduler scheduler(options(1));
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  char bytes[4096] = {};
  while (write(ends[1], bytes, sizeof bytes) > 0) continue;
  const int one_end = dup(ends[1]);
  std::atomic<int> ended{0};
  ult::Ults ults;
  for (const short events : {short{POLLIN}, short{POLLOUT}, short{POLLIN}}) {
    ults.run([&, events] {
      const pollfd wanted = {one_end, events, 0};
      pollfd looked = wanted;
      while (poll(&looked, 1, 0) == 0) {
        EXPECT_EQ(wait_for_descriptors(&wanted, 1, platform::kNever), WaitEnd::kDone);
      }
      ++ended;
    });
  }
  ults.run([&] {
    while (read(ends[0], bytes, sizeof bytes) > 0) ult::yield();
    while (ended == 0) ult::yield();  // the writer
    close(ends[0]);                   // tells the readers: an error
  });
  ults.join_all();
  EXPECT_EQ(ended, 3);
  close(one_end);
  close(ends[1]);
}

TEST(DescriptorWaits, LastsUntilTheDeadline) {
  ult::ScopedScheduler scheduler(options(1));
  Pipe empty;
  ult::Ults ults;
  for (int i = 0; i < 3; ++i) {
    ults.run([&] {
      const pollfd wanted = empty.readable();
      const std::int64_t deadline = platform::now_ns() + 20'000'000;
      WaitEnd end = WaitEnd::kDone;
      while (end == WaitEnd::kDone) end = wait_for_descriptors(&wanted, 1, deadline);
      EXPECT_EQ(end, WaitEnd::kTimedOut);
      EXPECT_GE(platform::now_ns(), deadline);
    });
  }
  ults.join_all();
}

TEST(DescriptorWaits, SeesWhatNeverWaits) {
  ult::ScopedScheduler scheduler(options(1));
  ult::Ults ults;
  ults.run([&] {
    char path[] = "/tmp/descriptor_waits_testXXXXXX";
    const int file = mkstemp(path);
    unlink(path);
    const pollfd a_file = {file, POLLIN, 0}, none = {-1000, POLLIN, 0},
                 closed = {999'999, POLLIN, 0};
    EXPECT_EQ(wait_for_descriptors(&a_file, 1, platform::kNever), WaitEnd::kDone);
    EXPECT_EQ(wait_for_descriptors(&closed, 1, platform::kNever), WaitEnd::kDone);
    EXPECT_EQ(wait_for_descriptors(&none, 1, platform::now_ns()), WaitEnd::kTimedOut);
    close(file);
  });
  ults.join_all();
}

// A file has no urgent data, and a wait for it alone lasts.
TEST(DescriptorWaits, WaitsForTheRestWhereAFileNeverReports) {
  ult::ScopedScheduler scheduler(options(1));
  const int file = open("/dev/null", O_RDONLY);
  Pipe pipe;
  ult::Ults ults;
  ults.run([&] {
    const pollfd wanted[2] = {{file, POLLPRI, 0}, pipe.readable()};
    EXPECT_EQ(wait_for_descriptors(wanted, 2, platform::kNever), WaitEnd::kDone);
    EXPECT_TRUE(pipe.has_any());
  });
  ults.run([&] { pipe.put('x'); });
  ults.join_all();
  close(file);
}

TEST(DescriptorWaits, KernelThreadsWaitByThemselves) {
  ult::ScopedScheduler scheduler(options(1));
  Pipe pipe;
  const pollfd wanted = pipe.readable();
  EXPECT_FALSE(shares_worker());
  EXPECT_EQ(wait_for_descriptors(&wanted, 1, platform::kNever), WaitEnd::kNot);
}

TEST(DescriptorWaits, AUltThatIsAloneHasItsWorker) {
  ult::ScopedScheduler scheduler(options(1));
  ult::Ults ults;
  std::atomic<bool> looked{false};
  ults.run([&] {
    EXPECT_FALSE(shares_worker());
    looked = true;
    while (looked) ult::yield();
  });
  while (!looked) std::this_thread::yield();
  ults.run([&] {
    EXPECT_TRUE(shares_worker());
    looked = false;
  });
  ults.join_all();
}

}  // namespace
}  // namespace heddle::process
