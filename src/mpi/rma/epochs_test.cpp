#include "mpi/rma/epochs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace heddle::rma {
namespace {

// Threads that wrongly lock one target at once: each lock ends once.
TEST(Epochs, GiveTheLockOfATargetToOneThread) {
  constexpr int kThreads = 2, kRounds = 200'000;
  Epochs epochs(1);
  std::atomic<int> begun{0}, ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        if (epochs.begin_lock(0, Epochs::Mark::kShared)) begun.fetch_add(1);
        if (epochs.end_lock(0) != Epochs::Mark::kNone) ended.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(begun, ended);
  EXPECT_FALSE(epochs.any_open());
}

}  // namespace
}  // namespace heddle::rma
