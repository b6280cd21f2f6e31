// POSIX threads that ranks create: they belong to the rank and may call MPI.

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "heddle/mpix.h"
#include "src/base/test_seeds.h"
#include "tests/support/ranks_test.h"

namespace heddle::testing {
namespace {

RANKS_TEST(Threads, OfARankAreStrandsOfIt, ranks(1, 2, 4, 7)) {
  std::vector<std::thread> threads;
  std::vector<int> seen(5, -1);
  for (int& one : seen) threads.emplace_back([&one] { MPI_Comm_rank(MPI_COMM_WORLD, &one); });
  for (std::thread& thread : threads) thread.join();
  for (const int one : seen) EXPECT_EQ(one, rank);
}

// The joining ranks must let the others run: all ranks are on two workers.
RANKS_TEST(Threads, MayWaitForMessagesWhileTheirRankJoinsThem, ranks(2, 4, 7)) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int received = -1;
  std::thread receiver(
      [&] { MPI_Recv(&received, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, next, 5, MPI_COMM_WORLD);
  receiver.join();
  // Each passes on only what its thread has received, so no join may keep a worker.
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, next, 5, MPI_COMM_WORLD);
  EXPECT_EQ(received, previous);
}

void* detach_and_leave(void* left) {
  pthread_detach(pthread_self());
  static_cast<std::atomic<int>*>(left)->fetch_add(1);
  pthread_exit(nullptr);
}

RANKS_TEST(Threads, MayDetachThemselvesAndLeaveByPthreadExit, ranks(1, 4)) {
  std::atomic<int> left{0};
  constexpr int kThreads = 20;
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, nullptr, detach_and_leave, &left), 0);
  }
  int flag = 0;
  while (left.load() != kThreads) MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

void* give_back(void* argument) {
  return argument;
}

RANKS_TEST(Threads, GiveTheirResultToWhoeverJoins, ranks(1, 2)) {
  // Many in turn: libc uses the numbers of joined threads again.
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, nullptr, give_back, &i), 0);
    void* result = nullptr;
    ASSERT_EQ(pthread_join(thread, &result), 0);
    EXPECT_EQ(result, &i);
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Two ranks of two threads each. Thread 0 of rank 0 sends what thread 0 of rank 1 receives only when
// thread 1 of rank 1 has let it, which waits for thread 1 of rank 0, and so on, crosswise: a thread
// that keeps its worker while it waits, in MPI or at a mutex, stops them all.
struct Crossed {
  std::mutex mutex;
  std::condition_variable condition;
  int received = 0;
};

void exchange(Crossed& crossed, int rank, int thread) {
  constexpr int kRounds = 8;
  const int other = 1 - rank;
  for (int round = 0; round < kRounds; ++round) {
    int out = 100 * round + thread, in = -1;
    if (thread == rank) {
      MPI_Recv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Ssend(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    } else {
      MPI_Ssend(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
      MPI_Recv(&in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(in / 100, round);
    std::unique_lock lock(crossed.mutex);
    ++crossed.received;
    crossed.condition.notify_all();
    crossed.condition.wait(lock, [&] { return crossed.received >= 2 * (round + 1); });
  }
}

void cross(void*) {
  int provided = 0, rank = -1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Crossed crossed;
  std::thread second([&] { exchange(crossed, rank, 1); });
  exchange(crossed, rank, 0);
  second.join();
  MPI_Finalize();
}

TEST(CrossedThreads, NeverDeadlockInAnyScheduleOfManySeeds) {
  for (const int workers : {1, 2}) {
    // pthread_join blocks a worker under ThreadSanitizer (exports/thread_exports.cpp).
    if (kSanitized && workers == 1) continue;
    for (const unsigned seed : TestSeeds(std::random_device{}(), kSanitized ? 5 : 40)) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      MPIX_Run_options options = {};
      options.workers = workers;
      options.yield_seed = seed;
      ASSERT_EQ(MPIX_Run(2, cross, nullptr, &options), MPI_SUCCESS);
    }
  }
}

// Without a host: the sleeps are those of libmpi_abi.so.1. There are more ranks than workers.
RANKS_TEST(Sleeps, AndYieldsLetTheOtherRanksRun, ranks(4, 7)) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer's own sleeps come before ours";
#endif
  static std::atomic<int> arrived;
  if (rank == 0) arrived = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  static constexpr timespec kShort = {0, 1000};
  void (*const ways[])() = {
      [] { sched_yield(); },
      [] { usleep(1); },
      [] { nanosleep(&kShort, nullptr); },
      [] { clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &kShort, nullptr); },
      [] { std::this_thread::sleep_for(std::chrono::microseconds(1)); },
      [] { std::this_thread::yield(); },
  };
  int wanted = 0;
  for (const auto way : ways) {
    ++arrived;
    wanted += size;
    while (arrived < wanted) way();
  }
  timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  EXPECT_EQ(usleep(20'000), 0);
  clock_gettime(CLOCK_MONOTONIC, &after);
  EXPECT_GE((after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec,
            20'000'000);
  EXPECT_EQ(usleep(1), 0);
  timespec wrong = {0, -1};
  EXPECT_EQ(nanosleep(&wrong, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
}

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// What a rank's threads wait for until the rank lets them go.
struct Waits {
  std::mutex held;
  std::mutex mutex;
  std::condition_variable condition;
  bool go = false;
  sem_t semaphore;
  pthread_barrier_t barrier;
  std::atomic<int> begun{0};
};

void wait_in(Waits& waits, int way) {
  int in = 0;
  MPI_Request requests[2];
  ++waits.begun;
  switch (way % 8) {
    case 0:
      MPI_Recv(&in, 1, MPI_INT, 0, way, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Probe(0, way, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      MPI_Recv(&in, 1, MPI_INT, 0, way, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      break;
    case 2:
      MPI_Irecv(&in, 1, MPI_INT, 0, way, MPI_COMM_SELF, &requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      break;
    case 3:
      MPI_Irecv(&in, 1, MPI_INT, 0, way, MPI_COMM_SELF, &requests[0]);
      requests[1] = MPI_REQUEST_NULL;
      MPI_Waitany(2, requests, &in, MPI_STATUS_IGNORE);
      break;
    case 4: {
      std::lock_guard lock(waits.held);
      break;
    }
    case 5: {
      std::unique_lock lock(waits.mutex);
      waits.condition.wait(lock, [&] { return waits.go; });
      break;
    }
    case 6:
      sem_wait(&waits.semaphore);
      break;
    default:
      pthread_barrier_wait(&waits.barrier);
  }
}

void let_go(Waits& waits, int threads) {
  for (int way = 0; way < threads; ++way) {
    if (way % 8 < 4) MPI_Send(&way, 1, MPI_INT, 0, way, MPI_COMM_SELF);
    if (way % 8 == 6) sem_post(&waits.semaphore);
  }
  waits.held.unlock();
  {
    std::lock_guard lock(waits.mutex);
    waits.go = true;
  }
  waits.condition.notify_all();
  pthread_barrier_wait(&waits.barrier);
}

RANKS_TEST(Threads, BlockedInManyCallsUseNoProcessorAndHoldNothing, ranks(2)) {
  constexpr int kThreads = 16;
  Waits waits;
  sem_init(&waits.semaphore, 0, 0);
  pthread_barrier_init(&waits.barrier, nullptr, kThreads / 8 + 1);
  waits.held.lock();
  std::vector<std::thread> threads;
  for (int way = 0; way < kThreads; ++way) threads.emplace_back(wait_in, std::ref(waits), way);
  int flag = 0;
  while (waits.begun != kThreads) MPI_Iprobe(0, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    usleep(100'000);  // until they have all gone to sleep
    const double before = cpu_seconds();
    usleep(1'000'000);
    EXPECT_LT(cpu_seconds() - before, 0.2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  let_go(waits, kThreads);
  for (std::thread& thread : threads) thread.join();
}

RANKS_TEST(Threads, OfTheSchedulerTellWhereTheirStackIs, ranks(1, 3)) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP()
      << "pthread_getattr_np is ThreadSanitizer's own there (exec/process/threads/threads.cpp)";
#endif
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  void* low = nullptr;
  std::size_t bytes = 0;
  ASSERT_EQ(pthread_attr_getstack(&attributes, &low, &bytes), 0);
  pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<std::uintptr_t>(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(low);
  EXPECT_GE(here, begin);
  EXPECT_LT(here, begin + bytes);
  EXPECT_GE(bytes, static_cast<std::size_t>(PTHREAD_STACK_MIN));
}

}  // namespace
}  // namespace heddle::testing
