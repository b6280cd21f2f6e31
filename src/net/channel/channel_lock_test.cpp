#include "net/channel/channel_lock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace heddle::channel {
namespace {

TEST(ChannelLock, IsHeldByOneAtATime) {
  ChannelLock lock;
  ASSERT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  EXPECT_TRUE(lock.try_unlock());
  EXPECT_TRUE(lock.lock_or_note());
  EXPECT_TRUE(lock.try_unlock());
}

TEST(ChannelLock, IsNotGivenUpBeforeANoteWasRead) {
  ChannelLock lock;
  ASSERT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.lock_or_note());
  EXPECT_FALSE(lock.lock_or_note());
  EXPECT_FALSE(lock.try_unlock());
  EXPECT_TRUE(lock.try_unlock());
}

TEST(ChannelLock, SaysThatANoteWasThrownAway) {
  ChannelLock lock;
  ASSERT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.lock_or_note());
  EXPECT_TRUE(lock.unlock_anyway());
  ASSERT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.unlock_anyway());
}

// All threads leave work and go away. No thread looks afterwards, so what a holder misses is missing.
TEST(ChannelLock, WorkThatWasLeftIsDoneByWhoeverHoldsIt) {
  constexpr int kThreads = 4, kEach = 20000;
  ChannelLock lock;
  std::atomic<int> left{0};
  int done = 0;  // guarded by the lock
  const auto run = [&] {
    for (int i = 0; i < kEach; ++i) {
      left.fetch_add(1, std::memory_order_relaxed);
      if (!lock.lock_or_note()) continue;
      do {
        done += left.exchange(0, std::memory_order_relaxed);
      } while (!lock.try_unlock());
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, kThreads * kEach);
}

}  // namespace
}  // namespace heddle::channel
