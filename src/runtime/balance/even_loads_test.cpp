#include "runtime/balance/even_loads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace heddle::runtime {
namespace {

struct Case {
  std::vector<double> loads;
  std::vector<int> places;
  int workers = 2;
  double seconds = 1;
  std::vector<double> parts;  // [ranks][workers]; empty: all at home

  std::vector<double> parts_now() const {
    if (!parts.empty()) return parts;
    std::vector<double> found(loads.size() * static_cast<std::size_t>(workers));
    for (std::size_t i = 0; i < loads.size(); ++i) {
      if (places[i] < 0) continue;
      found[i * static_cast<std::size_t>(workers) + static_cast<std::size_t>(places[i])] = loads[i];
    }
    return found;
  }
  std::vector<double> by_worker() const {
    std::vector<double> sums(static_cast<std::size_t>(workers));
    for (std::size_t i = 0; i < loads.size(); ++i) {
      if (places[i] >= 0) sums[static_cast<std::size_t>(places[i])] += loads[i];
    }
    return sums;
  }
  double most() const {
    const std::vector<double> sums = by_worker();
    return *std::max_element(sums.begin(), sums.end());
  }
  int ask() {
    const std::vector<int> before = places;
    const std::vector<double> sums = by_worker();
    MPIX_Loads asked{};
    asked.seconds = seconds;
    asked.ranks = static_cast<int>(loads.size());
    asked.rank_loads = loads.data();
    asked.workers = workers;
    asked.worker_loads = sums.data();
    const std::vector<double> by_worker = parts_now();
    asked.rank_loads_by_worker = by_worker.data();
    asked.places = places.data();
    even_loads(&asked, nullptr);
    int moved = 0;
    for (std::size_t i = 0; i < places.size(); ++i) moved += places[i] != before[i];
    return moved;
  }
};

// As mpiexec places them: in blocks.
Case in_blocks(std::vector<double> loads, int workers) {
  Case made{std::move(loads), {}, workers, 1};
  const int ranks = static_cast<int>(made.loads.size());
  for (int rank = 0; rank < ranks; ++rank) made.places.push_back(rank * workers / ranks);
  return made;
}

TEST(EvenLoads, OneRankWithFourTimesTheWork) {
  std::vector<double> loads(16, 0.09);
  loads[0] = 0.36;
  Case uneven = in_blocks(loads, 2);
  ASSERT_EQ(uneven.ask(), 1);
  EXPECT_EQ(uneven.places[7], 1) << "the neighbour of the other worker's ranks goes";
  EXPECT_NEAR(uneven.most(), 10 * 0.09, 1e-9);
  EXPECT_EQ(uneven.ask(), 0) << "it is as even as it can be";
}

TEST(EvenLoads, LeavesEvenLoadsAlone) {
  EXPECT_EQ(in_blocks(std::vector<double>(16, 0.1), 2).ask(), 0);
  EXPECT_EQ(in_blocks({0.5, 0.51, 0.49, 0.5}, 4).ask(), 0) << "no rank is small enough";
  EXPECT_EQ(in_blocks({0.9, 0.1}, 2).ask(), 0) << "two ranks cannot do better than a worker each";
}

TEST(EvenLoads, LeavesRanksAloneThatWait) {
  Case waiting = in_blocks({0.005, 0.005, 0, 0}, 2);
  EXPECT_EQ(waiting.ask(), 0) << "the busiest worker is idle nearly all of the time";
  waiting.seconds = 0.1;
  EXPECT_EQ(waiting.ask(), 1);
}

TEST(EvenLoads, OneWorkerIsLeftAlone) {
  EXPECT_EQ(in_blocks({0.5, 0.3, 0.2}, 1).ask(), 0);
}

TEST(EvenLoads, NeverMovesWhatIsNotHere) {
  Case elsewhere{{0, 0.5, 0.4, 0.05}, {-1, 0, 0, 1}, 2, 1};
  elsewhere.ask();
  EXPECT_EQ(elsewhere.places[0], -1);
  EXPECT_NEAR(elsewhere.most(), 0.5, 1e-9);
}

// Teams of two threads on two workers, one of them with four times the work: it is the heaviest rank of its worker, and both
// workers are equally busy.
TEST(EvenLoads, TeamsThatRunOnAllWorkersStay) {
  Case teams = in_blocks({0.4, 0.1, 0.1, 0.1}, 2);
  for (const double load : teams.loads) teams.parts.insert(teams.parts.end(), {load / 2, load / 2});
  EXPECT_EQ(teams.ask(), 0);
}

TEST(EvenLoads, ARankIsJudgedByWhatItsMoveChanges) {
  // Worker 0 has 0.5 + 0.2, worker 1 has 0.2 + 0.1. Rank 0 would bring its 0.2 home to worker 1 and leave 0.2 there.
  Case mixed{{0.7, 0.2, 0.1}, {0, 0, 1}, 2, 1, {0.5, 0.2, 0.2, 0, 0, 0.1}};
  EXPECT_EQ(mixed.ask(), 1);
  EXPECT_EQ(mixed.places, (std::vector<int>{0, 1, 1})) << "0.5 and 0.5";
}

// The bound of every list schedule: the mean and one rank's load more. Asked again and again it comes to rest.
TEST(EvenLoads, ComesToRestWithinOneRanksLoad) {
  std::minstd_rand random(5);
  for (int round = 0; round < 500; ++round) {
    const int workers = 1 + static_cast<int>(random() % 8);
    std::vector<double> loads(1 + random() % 64);
    for (double& load : loads) load = static_cast<double>(random() % 1000) / 1000;
    Case any = in_blocks(loads, workers);
    for (int& place : any.places)
      place = static_cast<int>(random() % static_cast<unsigned>(workers));
    const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
    any.seconds = sum / workers;
    int asked = 0;
    while (any.ask() != 0) ASSERT_LT(++asked, 100);
    const double largest = *std::max_element(loads.begin(), loads.end());
    EXPECT_LE(any.most(), 1.05 * sum / workers + largest + 1e-9) << "round " << round;
  }
}

}  // namespace
}  // namespace heddle::runtime
