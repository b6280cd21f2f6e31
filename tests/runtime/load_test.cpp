// MPIX_Rank_load, MPIX_Worker_load, and the performance variables of the same: what ranks load their workers with.

#include <mpi.h>

#include <vector>

#include "heddle/mpix.h"
#include "tests/support/ranks_test.h"
#include "tests/tool/open_tools.h"

namespace {

using heddle::testing::host_of;
using heddle::testing::OpenTools;
using heddle::testing::Pvar;

constexpr double kMuch = 0.003;

double load_of(int rank) {
  double seconds = -1;
  EXPECT_EQ(MPIX_Rank_load(MPI_COMM_WORLD, rank, &seconds), MPI_SUCCESS);
  return seconds;
}

double load_of_worker(int worker) {
  double seconds = -1;
  EXPECT_EQ(MPIX_Worker_load(worker, &seconds), MPI_SUCCESS);
  return seconds;
}

int worker_of(int rank) {
  int worker = -1, workers = 0;
  EXPECT_EQ(MPIX_Rank_worker(MPI_COMM_WORLD, rank, &worker, &workers), MPI_SUCCESS);
  return worker;
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

}  // namespace

// It ends only if what the rank computes is counted.
RANKS_TEST(Load, GrowsByWhatARankComputes, ranks(2, 4)) {
  if (!heddle::testing::share_variables(size)) return;
  const double before = load_of(rank), of_worker = load_of_worker(worker_of(rank));
  while (load_of(rank) < before + kMuch) {
  }
  // No other strand moves ranks here. Workers are read later, so they have spent at least as much.
  EXPECT_GE(load_of_worker(worker_of(rank)), of_worker + kMuch / 2);
}

RANKS_TEST(Load, OfRanksThatWaitStays, ranks(2, 4)) {
  if (!heddle::testing::share_variables(size)) return;
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<double> before(static_cast<std::size_t>(size));
  for (int of = 0; rank == 0 && of < size; ++of) {
    if (host_of(of, size) == host_of(0, size)) before[static_cast<std::size_t>(of)] = load_of(of);
  }
  // Each other rank computes only to come to the second barrier.
  while (rank == 0 && load_of(0) < before[0] + 10 * kMuch) {
  }
  for (int of = 1; rank == 0 && of < size; ++of) {
    if (host_of(of, size) != host_of(0, size)) continue;
    EXPECT_LT(load_of(of), before[static_cast<std::size_t>(of)] + 5 * kMuch);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

RANKS_TEST(Load, IsReadByToolsToo, ranks(2, 4)) {
  if (!heddle::testing::share_variables(size)) return;
  OpenTools tools;
  Pvar load("rank_load", MPI_T_PVAR_CLASS_TIMER), moves("rank_moves", MPI_T_PVAR_CLASS_COUNTER);
  Pvar of_worker("worker_load", MPI_T_PVAR_CLASS_LEVEL);
  for (const Pvar* pvar : {&load, &moves}) {
    ASSERT_EQ(MPI_T_pvar_start(pvar->session, pvar->handle), MPI_SUCCESS);
  }
  while (load.seconds() < kMuch) {
  }
  EXPECT_GE(static_cast<double>(of_worker.read()), kMuch * 0.5e9);
  MPI_Barrier(MPI_COMM_WORLD);
  const int left = (rank + size - 1) % size;
  const bool is_here = host_of(left, size) == host_of(rank, size);
  for (int i = 0; is_here && i < 3; ++i) MPIX_Rank_migrate(MPI_COMM_WORLD, left, worker_of(left));
  MPI_Barrier(MPI_COMM_WORLD);
  const bool was_told = host_of((rank + 1) % size, size) == host_of(rank, size);
  EXPECT_EQ(moves.read(), was_told ? 3u : 0u);
}

RANKS_TEST(Load, SaysWhichArgumentIsWrong, ranks(2)) {
  if (!heddle::testing::share_variables(size)) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int worker = 0, workers = 0;
  MPIX_Rank_worker(MPI_COMM_WORLD, rank, &worker, &workers);
  double seconds = 0;
  EXPECT_EQ(class_of(MPIX_Rank_load(MPI_COMM_NULL, 0, &seconds)), MPI_ERR_COMM);
  EXPECT_EQ(class_of(MPIX_Rank_load(MPI_COMM_WORLD, size, &seconds)), MPI_ERR_RANK);
  EXPECT_EQ(class_of(MPIX_Rank_load(MPI_COMM_WORLD, 0, nullptr)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Worker_load(workers, &seconds)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Worker_load(-1, &seconds)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPIX_Worker_load(0, nullptr)), MPI_ERR_ARG);
}
