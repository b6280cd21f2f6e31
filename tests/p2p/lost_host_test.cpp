// A host that the network loses (net/transport/transport.h, T6).
#include <gtest/gtest.h>
#include <mpi.h>

#include "tests/support/pretended_hosts.h"

namespace heddle::testing {
namespace {

// Rank 1 waits for rank 0, whose host is cut off when both have met.
void lose_a_host() {
  static PretendedHosts hosts({.hosts = 2});
  const auto rank_main = [](void*) {
    MPI_Init(nullptr, nullptr);
    int rank = 0, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0) hosts.cut(0);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
  };
  MPIX_Run_options options = {};
  options.workers = 2;
  hosts.run(2, rank_main, nullptr, options);
}

// Either host may hear first that it has lost the other.
TEST(LostHost, EndsTheJobWithASentenceThatNamesIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(lose_a_host(), ::testing::ExitedWithCode(MPI_ERR_PROC_ABORTED),
              "^host [01] is lost; the job cannot go on without it");
}

}  // namespace
}  // namespace heddle::testing
