// A rank that stands in MPI_Barrier is reached by a packet on any channel, though no other strand polls: the case of [channels]
// (docs/papers.md), by MPI itself.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sched.h>

#include <atomic>

#include "tests/support/pretended_hosts.h"

namespace heddle::testing {
namespace {

constexpr int kRanks = 4, kRounds = 60;
std::atomic<int> computing, ended;

// Ranks 0 and 2, on different hosts, meet in barriers; each communicator's packets take a channel of their own choice.
// Ranks 1 and 3 call no MPI meanwhile, and keep the workers whose homes two of the four channels are.
void stand_in_barriers(int rank) {
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &pair);
  if (rank % 2 == 1) {
    ++computing;
    while (ended < 2) sched_yield();
  } else {
    while (computing < 2) sched_yield();
    for (int round = 0; round < kRounds; ++round) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(pair, &comm);
      EXPECT_EQ(MPI_Barrier(comm), MPI_SUCCESS);
      MPI_Comm_free(&comm);
    }
    ++ended;
  }
  MPI_Comm_free(&pair);
}

// Two workers, three ranks each: while the first one waits, the others always have each other to run, so no worker is idle.
// Of four channels (CMakeLists.txt) two are no worker's home. Without each n-th look at all channels this passes, too: a
// packet may wake a kernel thread that sleeps, which looks at all. channels_test has the case where only that look helps.
constexpr int kOfHost = 3, kBusyRanks = 2 * kOfHost;
void stand_in_barriers_of_busy_workers(int rank) {
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % kOfHost, rank, &pair);
  if (rank % kOfHost != 0) {
    ++computing;
    while (ended < 2) sched_yield();
  } else {
    while (computing < kBusyRanks - 2) sched_yield();
    for (int round = 0; round < kRounds; ++round) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(pair, &comm);
      EXPECT_EQ(MPI_Barrier(comm), MPI_SUCCESS);
      MPI_Comm_free(&comm);
    }
    ++ended;
  }
  MPI_Comm_free(&pair);
}

template <void (*kWork)(int)>
void run(const HostsWanted& wanted, int ranks, int workers) {
  computing = ended = 0;
  PretendedHosts hosts(wanted);
  const auto rank_main = [](void*) {
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    kWork(rank);
    MPI_Finalize();
  };
  MPIX_Run_options options = {};
  options.workers = workers;
  ASSERT_EQ(hosts.run(ranks, rank_main, nullptr, options), MPI_SUCCESS);
}

void run(const HostsWanted& wanted) {
  run<stand_in_barriers>(wanted, kRanks, kRanks);
}

TEST(Progress, ReachesTheOnlyRankThatWaits) {
  run({.hosts = 2});
}

TEST(Progress, ReachesItUnderFaults) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) run({.hosts = 2, .fault_seed = seed});
}

TEST(Progress, ReachesItThroughSharedMemory) {
  run({.hosts = 2, .hosts_a_node = 2, .shared_memory = true});
}

TEST(Progress, ReachesARankOnAChannelThatIsNoWorkersHomeThoughNoneIsIdle) {
  run<stand_in_barriers_of_busy_workers>({.hosts = 2}, kBusyRanks, 2);
}

}  // namespace
}  // namespace heddle::testing
