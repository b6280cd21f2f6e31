// A rank's way into and out of MPI (MPI 5.0 §11.2).

#include <mpi.h>

#include <atomic>

#include "heddle/mpix.h"
#include "tests/support/ranks_test.h"

RANKS_TEST(Init, GivesEveryRankItsNumberAndTheJobsSize, ranks(1, 2, 4, 7, 64)) {
  int world_size = -1, self_size = -1, self_rank = -1;
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  MPI_Comm_size(MPI_COMM_SELF, &self_size);
  MPI_Comm_rank(MPI_COMM_SELF, &self_rank);
  EXPECT_EQ(world_size, size);
  EXPECT_EQ(self_size, 1);
  EXPECT_EQ(self_rank, 0);

  // Every number exactly once: the sum and the sum of squares have only one solution.
  long long mine[2] = {rank, 1LL * rank * rank}, all[2] = {};
  MPI_Allreduce(mine, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  const long long n = size;
  EXPECT_EQ(all[0], n * (n - 1) / 2);
  EXPECT_EQ(all[1], (n - 1) * n * (2 * n - 1) / 6);
}

RANKS_TEST(Init, AnswersTheQueriesBetweenInitAndFinalize, ranks(2)) {
  int initialized = 0, finalized = 1, level = -1, is_main = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&is_main);
  EXPECT_TRUE(initialized);
  EXPECT_FALSE(finalized);
  EXPECT_EQ(level, MPI_THREAD_MULTIPLE);
  EXPECT_TRUE(is_main);
}

namespace {

void expect_queries_outside(void*) {
  int flag = -1;
  EXPECT_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);

  int provided = -1;
  EXPECT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), MPI_SUCCESS);
  EXPECT_EQ(provided, MPI_THREAD_FUNNELED);
  EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);

  EXPECT_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1) << "stays true after MPI_Finalize";
  EXPECT_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  int version = 0, subversion = -1;
  EXPECT_EQ(MPI_Get_version(&version, &subversion), MPI_SUCCESS);
  EXPECT_EQ(version, 5);
}

}  // namespace

TEST(InitQueries, AreRightBeforeAndAfter) {
  EXPECT_EQ(MPIX_Run(3, expect_queries_outside, nullptr, nullptr), MPI_SUCCESS);
}

TEST(Run, CanBeRepeatedInOneProcess) {
  static std::atomic<int> entered;
  entered = 0;
  for (int i = 0; i < 20; ++i) {
    const auto rank_main = [](void*) {
      MPI_Init(nullptr, nullptr);
      entered.fetch_add(1, std::memory_order_relaxed);
      MPI_Finalize();
    };
    ASSERT_EQ(MPIX_Run(5, rank_main, nullptr, nullptr), MPI_SUCCESS);
  }
  EXPECT_EQ(entered.load(), 100);
}

TEST(Run, RefusesAnUnusableNumberOfRanks) {
  EXPECT_EQ(MPIX_Run(
                0, [](void*) {}, nullptr, nullptr),
            MPI_ERR_ARG);
  EXPECT_EQ(MPIX_Run(1, nullptr, nullptr, nullptr), MPI_ERR_ARG);
}
