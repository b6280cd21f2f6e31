// Started collectives that have counted in and are finished by whichever strand of the rank comes first (mpi/coll/helper.h).

#include <vector>

#include "heddle/mpix.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

bool is_done(MPI_Request& request) {
  int flag = 0;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

int sum_of(int size) {
  return size * (size - 1) / 2;
}

// All but rank 0 have started when this returns at rank 0.
void rank_0_comes_last(int rank, int size) {
  for (int peer = 1; peer < size && rank == 0; ++peer) {
    MPI_Recv(nullptr, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
void has_started(int rank) {
  if (rank != 0) MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

}  // namespace

RANKS_TEST(SplitPhase, IsReadByTheWaitThatFindsIt, ranks(2, 4, 7)) {
  for (int round = 0; round < 20; ++round) {
    int own = rank + round, sum = -1, top = -1;
    MPI_Request request;
    rank_0_comes_last(rank, size);
    if (round % 2 == 0) {
      MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    } else {
      MPI_Ireduce(&own, &sum, 1, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD, &request);
    }
    has_started(rank);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (round % 2 == 0 || rank == size - 1) {
      EXPECT_EQ(sum, sum_of(size) + round * size);
    }
    MPI_Allreduce(&own, &top, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(top, size - 1 + round);
  }
}

RANKS_TEST(SplitPhase, IsReadByATest, ranks(2, 4, 7)) {
  int own = rank, sum = -1;
  MPI_Request request;
  rank_0_comes_last(rank, size);
  MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  has_started(rank);
  while (!is_done(request)) {
  }
  EXPECT_EQ(sum, sum_of(size));
}

// The blocking ones, and those that were started, keep their order.
RANKS_TEST(SplitPhase, IsReadBeforeTheNextCollective, ranks(2, 4, 7)) {
  for (int round = 0; round < 20; ++round) {
    int own = rank, sum = -1, all = -1;
    MPI_Request first, second = MPI_REQUEST_NULL;
    rank_0_comes_last(rank, size);
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &first);
    has_started(rank);
    if (round % 2 == 0) {
      MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(sum, sum_of(size));
    } else {
      MPI_Iallreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &second);
    }
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    EXPECT_EQ(all, sum_of(size));
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, sum_of(size));
  }
}

RANKS_TEST(SplitPhase, EndsAWaitForOneOfSeveral, ranks(2, 4, 7)) {
  int own = rank, sum = -1, token = -1;
  MPI_Request requests[2];
  MPI_Irecv(&token, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]);
  rank_0_comes_last(rank, size);
  MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  has_started(rank);
  int index = -1;
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  EXPECT_EQ(index, 1);
  EXPECT_EQ(sum, sum_of(size));
  MPI_Send(&own, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  EXPECT_EQ(index, 0);
}

// A wait for one of several leaves it to another strand; then the program waits for it alone.
RANKS_TEST(SplitPhase, MayBeGivenAwayAndWaitedFor, ranks(2, 4)) {
  for (int round = 0; round < 20; ++round) {
    MPI_Request requests[2];
    int index = -1, token = 0;
    MPI_Irecv(&token, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]);
    rank_0_comes_last(rank, size);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    MPI_Request send;
    MPI_Isend(&round, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &send);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    has_started(rank);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    EXPECT_EQ(token, round);
  }
}

RANKS_TEST(SplitPhase, OneThreadWaitsForItWhileAnotherGoesOn, ranks(2, 4)) {
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    int own = rank, sum = -1, all = -1;
    MPI_Request request;
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    RankThreads threads;
    threads.start([&] {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(sum, sum_of(size));
    });
    switch (round % 3) {
      case 0:
        MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        break;
      case 1:
        for (int i = 0; i < 6; ++i) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        break;
      case 2: {
        MPI_Request other;
        MPI_Iallreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &other);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
        break;
      }
    }
    EXPECT_EQ(all, sum_of(size));
    threads.join();
  }
}

RANKS_TEST(SplitPhase, MayOutliveItsCommunicatorsHandle, ranks(2, 4)) {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int own = rank, sum = -1;
    MPI_Request request;
    rank_0_comes_last(rank, size);
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    has_started(rank);
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, sum_of(size));
  }
}

// Tables of a host group are made anew while its members have split-phase operations of older phases.
// Where ranks are processes, they stay.
RANKS_TEST(SplitPhase, SurvivesThatItsRanksMove, ranks(2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int worker = 0;
  const int moved = rank % 2;
  for (int round = 0; round < 40; ++round) {
    int own = rank + round, sum = -1;
    MPI_Request request;
    rank_0_comes_last(rank, size);
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (round % 2 == moved) {
      worker = 1 - worker;
      const int error = MPIX_Rank_migrate(MPI_COMM_WORLD, rank, worker);
      EXPECT_TRUE(error == MPI_SUCCESS || error == MPI_ERR_UNSUPPORTED_OPERATION) << error;
    }
    has_started(rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, sum_of(size) + round * size);
  }
}

// A helper may get the operation while another request of the same wait is done; then the program waits for it, and nothing is left
// of its communicator.
RANKS_TEST(SplitPhase, MayBeGivenAwayThoughNothingWaits, ranks(2, 4)) {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Request requests[2];
    int count = 0, indices[2], own = rank, sum = -1;
    rank_0_comes_last(rank, size);
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    EXPECT_GE(count, 1);
    has_started(rank);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(sum, sum_of(size));
  }
}

// One thread waits for one of several, so a helper is wanted; another starts an operation that needs one, too.
RANKS_TEST(SplitPhase, MeetsAHelperThatAnotherThreadWants, ranks(2, 4)) {
  for (int round = 0; round < 60; ++round) {
    int own = rank, sum = -1;
    std::vector<int> all(static_cast<std::size_t>(size), -1);
    MPI_Request requests[2], gather;
    int token = 0;
    MPI_Irecv(&token, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    RankThreads threads;
    threads.start([&] {
      int index = -1;
      MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
      EXPECT_EQ(index, 0);
      EXPECT_EQ(sum, sum_of(size));
    });
    MPI_Igather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, round % size, MPI_COMM_WORLD, &gather);
    MPI_Wait(&gather, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    threads.join();
    MPI_Send(&own, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    if (rank == round % size) {
      EXPECT_EQ(all[static_cast<std::size_t>(size - 1)], size - 1);
    }
  }
}

RANKS_TEST(SplitPhase, OfAPersistentOneComesAgain, ranks(2, 4)) {
  int own = 0, sum = -1;
  MPI_Request request;
  MPI_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < 20; ++round) {
    own = rank + round;
    rank_0_comes_last(rank, size);
    MPI_Start(&request);
    has_started(rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, sum_of(size) + size * round);
  }
  MPI_Request_free(&request);
}
