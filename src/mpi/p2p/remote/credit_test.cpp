// The accounts of credit, without a network.
#include "mpi/p2p/remote/credit.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <utility>

namespace heddle::p2p {
namespace {

TEST(SendCredit, GivesEachProcessItsOwn) {
  SendCredit credit(3);
  EXPECT_TRUE(credit.take(1, Credit::kMost));
  EXPECT_FALSE(credit.take(1, 1));
  EXPECT_TRUE(credit.take(0, Credit::kMost));
  EXPECT_TRUE(credit.take(2, Credit::kMost));
}

TEST(SendCredit, ARefusalTakesNothing) {
  SendCredit credit(1);
  EXPECT_TRUE(credit.take(0, Credit::kMost - 10));
  EXPECT_FALSE(credit.take(0, 11));
  EXPECT_TRUE(credit.take(0, 10));
}

TEST(SendCredit, TakesBackOnlyWhatItHasGiven) {
  SendCredit credit(2);
  EXPECT_TRUE(credit.take(0, 100));
  EXPECT_FALSE(credit.give_back(0, 101));
  EXPECT_FALSE(credit.give_back(0, -1));
  EXPECT_FALSE(credit.give_back(1, 1));
  EXPECT_TRUE(credit.give_back(0, 60));
  EXPECT_FALSE(credit.give_back(0, 41));
  EXPECT_TRUE(credit.give_back(0, 40));
}

// Against a table of sums.
TEST(CreditReturns, AreCountedForEachHostAndRank) {
  constexpr int kHosts = 3;
  const std::vector<bool> is_here = {false, true, true, false, true};
  const std::vector<int> ranks_here = {1, 2, 4};
  CreditReturns returns(kHosts, is_here);
  std::map<std::pair<int, int>, std::int64_t> sums;
  std::mt19937 random(1);
  int batches = 0;
  for (int i = 0; i < 20000; ++i) {
    const int host = static_cast<int>(random() % kHosts), rank = ranks_here[random() % 3];
    const auto bytes = static_cast<std::int64_t>(random() % 2000);
    std::int64_t& sum = sums[{host, rank}];
    sum += bytes;
    const std::int64_t due = sum < Credit::kBatch ? 0 : std::exchange(sum, 0);
    ASSERT_EQ(returns.collect(host, rank, bytes), due) << "host " << host << ", rank " << rank;
    batches += due != 0;
  }
  EXPECT_GT(batches, 9 * 5);
}

// I2: one sender and one receiver, of messages of any size that is eager.
TEST(Credit, IsThereForAnEagerMessageWhenAllHaveBeenReceived) {
  constexpr std::int64_t kLargest = (32 << 10) + Credit::kRecord;
  std::mt19937 random(2);
  SendCredit credit(1);
  CreditReturns returns(2, {true});
  for (int round = 0; round < 200; ++round) {
    std::deque<std::int64_t> kept;
    std::int64_t cost;
    do {
      const std::int64_t longest = round % 2 == 0 ? 1000 : kLargest - Credit::kRecord;
      cost = Credit::kRecord + static_cast<std::int64_t>(random()) % longest;
      kept.push_back(cost);
    } while (credit.take(0, cost));
    kept.pop_back();
    for (const std::int64_t taken : kept) {
      ASSERT_TRUE(credit.give_back(0, returns.collect(1, 0, taken)));
    }
    ASSERT_TRUE(credit.take(0, kLargest)) << "round " << round;
    ASSERT_TRUE(credit.give_back(0, kLargest));
  }
}

}  // namespace
}  // namespace heddle::p2p
