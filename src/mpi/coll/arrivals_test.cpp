#include "mpi/coll/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "base/test_yields.h"

namespace heddle::coll {
namespace {

using Outcome = Arrivals::Outcome;

// Of a machine with 3 cores a cache, 6 a NUMA node and 12 a socket.
struct TestArrivals : Arrivals {
  explicit TestArrivals(const std::vector<int>& members)
      : Arrivals(members, tree_of(static_cast<int>(members.size()))) {}

  static platform::LocalityTree tree_of(int places) {
    std::vector<platform::Core> cores;
    cores.reserve(static_cast<std::size_t>(places));
    for (int i = 0; i < places; ++i) cores.push_back({i, i / 3, i / 6, i / 12});
    return platform::LocalityTree(cores);
  }
};

TEST(Arrivals, TheLastOfAllAndNobodyElseIsTheLastInEveryOrderAndRound) {
  std::mt19937 random(1);
  for (const std::size_t places : {1U, 2U, 3U, 8U, 9U, 64U, 65U, 200U}) {
    std::vector<int> members, order;
    for (std::size_t i = 0; i < places; ++i) {
      members.push_back(static_cast<int>(random() % 5 + 1));
      order.insert(order.end(), static_cast<std::size_t>(members.back()), static_cast<int>(i));
    }
    TestArrivals arrivals(members);
    for (int round = 0; round < 5; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        ASSERT_EQ(arrivals.arrive(order[i], 7), Outcome::kEarly)
            << places << " places, arrival " << i;
      }
      ASSERT_EQ(arrivals.arrive(order.back(), 7), Outcome::kLast) << places << " places";
    }
  }
}

TEST(Arrivals, TheLastKnowsIfSomebodyGaveAnotherCall) {
  std::mt19937 random(2);
  for (const std::size_t places : {1U, 2U, 9U, 65U}) {
    std::vector<int> order;
    for (std::size_t i = 0; i < places; ++i) order.insert(order.end(), 3, static_cast<int>(i));
    TestArrivals arrivals(std::vector<int>(places, 3));
    for (std::size_t odd_one = 0; odd_one < order.size(); ++odd_one) {
      std::shuffle(order.begin(), order.end(), random);
      Outcome outcome = Outcome::kEarly;
      for (std::size_t i = 0; i < order.size(); ++i) {
        outcome = arrivals.arrive(order[i], i == odd_one ? 0xfffffe : 0xffffff);
      }
      ASSERT_EQ(outcome, Outcome::kLastOfUnlike) << places << " places, " << odd_one;
      for (const int place : order) outcome = arrivals.arrive(place, 0xfffffe);
      ASSERT_EQ(outcome, Outcome::kLast) << "it goes on as if nothing had been";
    }
  }
}

TEST(Arrivals, PlacesThatDisagreeAlikeAreNoticed) {
  TestArrivals arrivals({2, 2});
  for (const int place : {0, 1, 0}) arrivals.arrive(place, place == 0 ? 1 : 2);
  EXPECT_EQ(arrivals.arrive(1, 2), Outcome::kLastOfUnlike);
  for (const std::uint32_t call : {1U, 2U}) arrivals.arrive(0, call);
  arrivals.arrive(1, 1);
  EXPECT_EQ(arrivals.arrive(1, 2), Outcome::kLastOfUnlike);
}

TEST(Arrivals, MembersThatHaveFailedAreNoticedEvenIfAllHave) {
  for (const int failing : {1, 3, 4}) {
    TestArrivals arrivals({2, 2});
    Outcome outcome = Outcome::kEarly;
    for (int i = 0; i < 4; ++i) outcome = arrivals.arrive(i % 2, 7, /*failed=*/i >= 4 - failing);
    EXPECT_EQ(outcome, Outcome::kLastOfUnlike) << failing;
    for (int i = 0; i < 4; ++i) outcome = arrivals.arrive(i % 2, 7);
    EXPECT_EQ(outcome, Outcome::kLast) << "it goes on as if nothing had been";
  }
  EXPECT_EQ(TestArrivals({1}).arrive(0, 7, /*failed=*/true), Outcome::kLastOfUnlike);
}

TEST(Arrivals, TheLastSeesWhatTheOthersWrote) {
  constexpr int kThreads = 4, kRounds = 200;
  constexpr int kPlaces[kThreads] = {0, 1, 1, 2};
  TestArrivals arrivals({1, 2, 1});
  std::vector<int> written(kThreads, 0);
  std::atomic<int> complete{0};
  std::atomic<bool> wrong{false};
  const RandomYields yields;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int me = 0; me < kThreads; ++me) {
    threads.emplace_back([&, me] {
      RandomYields::seed(static_cast<unsigned>(me));
      for (int round = 1; round <= kRounds; ++round) {
        written[static_cast<std::size_t>(me)] = round;
        if (arrivals.arrive(kPlaces[me], 7) == Outcome::kLast) {
          for (const int seen : written) {
            if (seen != round) wrong.store(true);
          }
          complete.store(round, std::memory_order_release);
        }
        while (complete.load(std::memory_order_acquire) < round) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(wrong.load());
}

// Place 0 has members of one call that arrive; a member with another call claims it before it would wait for one of them.
TEST(Arrivals, AMemberThatClaimsAPlaceOrOneThatArrivesThereLearnsOfTheOther) {
  constexpr int kPhases = 2000;
  for (const int members : {1, 2}) {
    TestArrivals arrivals({members, 1});
    std::atomic<int> begun{0}, finds{0};
    const auto meet = [&](int phase) {
      begun.fetch_add(1);
      while (begun.load() < 2 * phase) std::this_thread::yield();
    };
    const RandomYields yields;
    std::thread other([&] {
      RandomYields::seed(1);
      for (int phase = 1; phase <= kPhases; ++phase) {
        meet(2 * phase - 1);
        const auto mark = Arrivals::mark_of(static_cast<std::uint64_t>(phase), 1);
        bool found = false;
        for (int i = 0; i < members; ++i) {
          arrivals.arrive(0, mark);
          found = arrivals.is_claimed_by_other(0, mark) || found;
        }
        finds.fetch_add(found);
        meet(2 * phase);
      }
    });
    RandomYields::seed(2);
    for (int phase = 1; phase <= kPhases; ++phase) {
      meet(2 * phase - 1);
      const auto mark = Arrivals::mark_of(static_cast<std::uint64_t>(phase), 2);
      finds.fetch_add(arrivals.claim(0, mark));
      meet(2 * phase);
      EXPECT_GE(finds.exchange(0), 1) << "phase " << phase << ", members " << members;
      arrivals.arrive(1, mark);
    }
    other.join();
  }
}

TEST(Arrivals, ClaimsOfOneCallAndOfEarlierPhasesAreNoDisagreement) {
  TestArrivals arrivals({2, 1});
  const auto mark = Arrivals::mark_of(5, 7);
  EXPECT_FALSE(arrivals.claim(0, mark));
  EXPECT_FALSE(arrivals.claim(0, mark));
  for (const int place : {0, 0, 1}) {
    arrivals.arrive(place, mark);
    EXPECT_FALSE(arrivals.is_claimed_by_other(place, mark));
  }
  const auto later = Arrivals::mark_of(9, 8);
  arrivals.arrive(0, later);
  EXPECT_FALSE(arrivals.is_claimed_by_other(0, later));
  EXPECT_FALSE(arrivals.claim(0, later));
  EXPECT_TRUE(arrivals.claim(0, Arrivals::mark_of(9, 9)));
}

}  // namespace
}  // namespace heddle::coll
