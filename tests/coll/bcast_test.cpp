// Barrier and broadcast (MPI 5.0 §6.3, §6.4).

#include <atomic>
#include <chrono>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

std::atomic<int> arrived{0};  // ranks of a test share the process

constexpr int kLong =
    1 << 17;  // several pieces between hosts, but few enough to be under way at once

// Without a call of MPI.
void compute_for_ms(int ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

RANKS_TEST(Barrier, NobodyLeavesBeforeEverybodyHasCome, ranks(1, 2, 3, 4, 7, 16)) {
  if (!heddle::testing::share_variables(size)) return;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    arrived.fetch_add(1);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(arrived.load(), size * (round + 1));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  arrived.store(0);
}

RANKS_TEST(Bcast, ReachesEverybodyFromEveryRoot, ranks(1, 2, 4, 7)) {
  for (int root = 0; root < size; ++root) {
    for (const int count : kCounts) {
      Ints data = rank == root ? input(root, count + 1) : room(count);
      const int last = data.back();
      ASSERT_EQ(MPI_Bcast(data.data(), count, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(first(data, count), input(root, count));
      EXPECT_EQ(data.back(), last);
    }
  }
}

RANKS_TEST(Bcast, TypesMayDifferIfTheyMatch, ranks(2, 7)) {
  constexpr int kCount = 5000;
  MPI_Datatype spread;
  MPI_Type_vector(kCount, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  Ints data = room(2 * kCount);
  if (rank % 2 == 0) {
    if (rank == 0) data = input(0, 2 * kCount);
    MPI_Bcast(data.data(), 1, spread, 0, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i)
      ASSERT_EQ(data[static_cast<std::size_t>(2 * i)], value(0, 2 * i));
  } else {
    MPI_Bcast(data.data(), kCount, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(data[static_cast<std::size_t>(i)], value(0, 2 * i));
  }
  MPI_Type_free(&spread);
}

// A rank that is late makes others wait so long that they send a query (src/mpi/coll/call_queries.h), while the rest goes on.
RANKS_TEST(Bcast, WaitsForALateRankWhileOthersGoOn, ranks(7)) {
  for (int late = 1; late < size; ++late) {
    const int root_of_next = late == 1 ? 2 : 1;  // needs neither the late rank nor rank 0
    if (rank == late) compute_for_ms(60);
    Ints data = rank == 0 ? input(0, kLong) : room(kLong);
    ASSERT_EQ(MPI_Bcast(data.data(), kLong, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(first(data, kLong), input(0, kLong));
    for (int phase = 0; phase < 8; ++phase) {
      int one = phase;
      ASSERT_EQ(MPI_Bcast(&one, 1, MPI_INT, root_of_next, MPI_COMM_WORLD), MPI_SUCCESS);
    }
  }
}

RANKS_TEST(Collectives, DoNotMeetTheUsersMessages, ranks(2, 7)) {
  // A wildcard receive is posted all the time, and collectives run past it.
  int got = -1;
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 20; ++round) {
    int sum = 0;
    MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, round * size);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int next = (rank + 1) % size;
  MPI_Send(&rank, 1, MPI_INT, next, 8, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, (rank + size - 1) % size);
}
