// Threads of a rank that use the tools interface at once, while others send messages and make objects.

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"
#include "tests/tool/open_tools.h"

using heddle::testing::OpenTools;
using heddle::testing::Pvar;
using heddle::testing::RankThreads;

RANKS_TEST(ToolThreads, HaveTheirOwnSessions, ranks(1, 2, 4)) {
  constexpr int kRounds = 100;
  OpenTools tools;
  const auto use_tools = [] {
    for (int round = 0; round < kRounds; ++round) {
      OpenTools again;
      Pvar posted("posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL);
      Pvar cycles("collector_cycles", MPI_T_PVAR_CLASS_COUNTER);
      EXPECT_EQ(MPI_T_pvar_start(cycles.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
      EXPECT_LE(posted.read(), 1000u);
      const unsigned long long first = cycles.read();
      unsigned long long taken = 0;
      EXPECT_EQ(MPI_T_pvar_readreset(cycles.session, cycles.handle, &taken), MPI_SUCCESS);
      EXPECT_GE(taken, first);
      MPI_T_cvar_handle control = MPI_T_CVAR_HANDLE_NULL;
      int count = 0;
      MPI_Count value = -1;
      EXPECT_EQ(MPI_T_cvar_handle_alloc(0, nullptr, &control, &count), MPI_SUCCESS);
      EXPECT_EQ(MPI_T_cvar_read(control, &value), MPI_SUCCESS);
      EXPECT_GE(value, 0);
      EXPECT_EQ(MPI_T_cvar_handle_free(&control), MPI_SUCCESS);
    }
  };
  const auto work = [rank, size] {
    for (int round = 0; round < kRounds; ++round) {
      int in = -1;
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_SELF, &comm);
      MPI_Sendrecv(&round, 1, MPI_INT, 0, round, &in, 1, MPI_INT, 0, round, comm,
                   MPI_STATUS_IGNORE);
      MPI_Comm_free(&comm);
      MPI_Sendrecv(&round, 1, MPI_INT, (rank + 1) % size, round, &in, 1, MPI_INT,
                   (rank + size - 1) % size, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, round);
    }
  };
  RankThreads threads;
  for (int i = 0; i < 3; ++i) threads.start(use_tools);
  threads.start(work);
  threads.join();
}

// Two strands that read and reset one counter get each of its counts once.
RANKS_TEST(ToolThreads, LoseNoCountWhenTheyReadAndReset, ranks(1, 2)) {
  OpenTools tools;
  Pvar all("collector_reclaimed_objects", MPI_T_PVAR_CLASS_COUNTER);
  Pvar shared("collector_reclaimed_objects", MPI_T_PVAR_CLASS_COUNTER);
  std::atomic<bool> over{false};
  std::atomic<unsigned long long> sum{0};
  const auto take = [&] {
    unsigned long long taken = 0;
    EXPECT_EQ(MPI_T_pvar_readreset(shared.session, shared.handle, &taken), MPI_SUCCESS);
    sum += taken;
  };
  MPI_T_pvar_start(all.session, all.handle);
  MPI_T_pvar_start(shared.session, shared.handle);
  std::vector<std::thread> takers;
  for (int i = 0; i < 2; ++i) {
    takers.emplace_back([&] {
      while (!over) {
        take();
        std::this_thread::yield();
      }
    });
  }
  for (int i = 0; i < 3000; ++i) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_free(&type);
  }
  over = true;
  for (std::thread& taker : takers) taker.join();
  take();
  EXPECT_EQ(sum.load(), all.read());
}
