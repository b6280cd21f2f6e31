// No rank keeps the others of its worker from running for long.

#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <vector>

#include "heddle/mpix.h"

namespace heddle::testing {
namespace {

constexpr int kBytes = 8 << 20;

struct Shared {
  std::atomic<bool> over{false};
  std::atomic<int> turns{0};
  int turns_during_copy = 0;
};

void send_long(Shared& shared) {
  std::vector<char> sent(kBytes, 7);
  MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int flag = 0;
  while (shared.turns == 0)
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // it may start late
  const int before = shared.turns;
  MPI_Send(sent.data(), kBytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  shared.turns_during_copy = shared.turns - before;
  shared.over = true;
}

// Posts the receive first, so that the sender copies.
void receive_long() {
  std::vector<char> received(kBytes, 0);
  MPI_Request request;
  MPI_Irecv(received.data(), kBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, std::vector<char>(kBytes, 7));
}

void count_turns(Shared& shared) {
  while (!shared.over) {
    ++shared.turns;
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // lets others run
  }
}

TEST(Fairness, ALongCopyLetsOtherRanksOfItsWorkerRun) {
  Shared shared;
  MPIX_Run_options options = {};
  options.workers = 1;
  const auto rank_main = [](void* argument) {
    Shared& all = *static_cast<Shared*>(argument);
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      send_long(all);
    } else if (rank == 1) {
      receive_long();
    } else {
      count_turns(all);
    }
    MPI_Finalize();
  };
  ASSERT_EQ(MPIX_Run(3, rank_main, &shared, &options), MPI_SUCCESS);
  EXPECT_GE(shared.turns_during_copy, 100);  // 256 slices
}

}  // namespace
}  // namespace heddle::testing
