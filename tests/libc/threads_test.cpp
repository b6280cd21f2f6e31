// POSIX threads that ranks create: they belong to the rank and may call MPI.

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

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
  // Each passes on only what its thread has received, so nobody's join may keep a worker.
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

RANKS_TEST(Threads, OfTheSchedulerTellWhereTheirStackIs, ranks(1, 3)) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "pthread_getattr_np is ThreadSanitizer's own there (exec/posix/threads.cpp)";
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
