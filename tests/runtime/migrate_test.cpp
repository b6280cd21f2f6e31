// MPIX_Rank_migrate: ranks go to other workers, and what they say to each other stays right.

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "heddle/mpix.h"
#include "tests/support/ranks_test.h"

namespace {

using heddle::testing::host_of;

struct Place {
  int worker = -1, workers = 0;
};

Place place_of(int rank) {
  Place place;
  EXPECT_EQ(MPIX_Rank_worker(MPI_COMM_WORLD, rank, &place.worker, &place.workers), MPI_SUCCESS);
  return place;
}

// The kernel thread of the caller: that of its worker, since nothing here waits in the kernel.
int kernel_thread() {
  return static_cast<int>(syscall(SYS_gettid));
}

// By worker; 0: no rank of this host has begun there.
std::vector<int> kernel_threads_of_workers(int rank, int size) {
  const int mine[3] = {place_of(rank).worker, kernel_thread(), host_of(rank, size)};
  std::vector<int> all(static_cast<std::size_t>(3 * size));
  MPI_Allgather(mine, 3, MPI_INT, all.data(), 3, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> threads(static_cast<std::size_t>(place_of(rank).workers));
  for (std::size_t i = 0; i < all.size(); i += 3) {
    if (all[i + 2] == mine[2]) threads[static_cast<std::size_t>(all[i])] = all[i + 1];
  }
  return threads;
}

void expect_error(int code, int error_class, const char* part) {
  int found = MPI_SUCCESS, length = 0;
  MPI_Error_class(code, &found);
  char text[MPI_MAX_ERROR_STRING] = "";
  MPI_Error_string(code, text, &length);
  EXPECT_EQ(found, error_class) << text;
  EXPECT_NE(std::string(text).find(part), std::string::npos) << text;
}

}  // namespace

RANKS_TEST(Migrate, TakesTheMainStrandToTheWorkerThatIsNamed, ranks(2, 4, 7)) {
  if (!heddle::testing::share_variables(size)) return;
  const std::vector<int> threads = kernel_threads_of_workers(rank, size);
  for (int worker = 0; worker < static_cast<int>(threads.size()); ++worker) {
    const int there = threads[static_cast<std::size_t>(worker)];
    if (there == 0) continue;
    ASSERT_EQ(MPIX_Rank_migrate(MPI_COMM_WORLD, rank, worker), MPI_SUCCESS);
    EXPECT_EQ(place_of(rank).worker, worker);
    while (kernel_thread() != there) sched_yield();
  }
}

RANKS_TEST(Migrate, MayBeCalledByAnotherRank, ranks(2, 4)) {
  if (!heddle::testing::share_variables(size)) return;
  const std::vector<int> threads = kernel_threads_of_workers(rank, size);
  const auto target = [&](int of) {
    return host_of(of, size) == host_of(0, size) ? (of + 1) % place_of(of).workers : -1;
  };
  for (int of = 0; rank == 0 && of < size; ++of) {
    if (target(of) < 0) continue;
    EXPECT_EQ(MPIX_Rank_migrate(MPI_COMM_WORLD, of, target(of)), MPI_SUCCESS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (host_of(rank, size) != host_of(0, size)) return;
  const int there = threads[static_cast<std::size_t>(target(rank))];
  EXPECT_EQ(place_of(rank).worker, target(rank));
  while (there != 0 && kernel_thread() != there) sched_yield();
}

// With these pthread_create is the sanitizer's, so that threads are kernel threads.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

struct Follower {
  std::atomic<int> wanted{0};  // a kernel thread; -1: end
  std::atomic<int> seen{0};
};

void* follow(void* argument) {
  Follower& self = *static_cast<Follower*>(argument);
  while (self.wanted != -1) {
    self.seen = kernel_thread();
    sched_yield();
  }
  return nullptr;
}

}  // namespace

RANKS_TEST(Migrate, TakesTheThreadsOfTheRankAlong, ranks(2, 4)) {
  if (!heddle::testing::share_variables(size)) return;
  const std::vector<int> threads = kernel_threads_of_workers(rank, size);
  Follower followers[3];
  pthread_t ids[3];
  for (int i = 0; i < 3; ++i) ASSERT_EQ(pthread_create(&ids[i], nullptr, follow, &followers[i]), 0);
  for (int worker = 0; worker < static_cast<int>(threads.size()); ++worker) {
    const int there = threads[static_cast<std::size_t>(worker)];
    if (there == 0) continue;
    ASSERT_EQ(MPIX_Rank_migrate(MPI_COMM_WORLD, rank, worker), MPI_SUCCESS);
    for (Follower& follower : followers) {
      while (follower.seen != there) sched_yield();
    }
  }
  for (int i = 0; i < 3; ++i) {
    followers[i].wanted = -1;
    pthread_join(ids[i], nullptr);
  }
}
#endif

// Moves between calls: each rank moves itself and others at random, and judges every result by a formula.
RANKS_TEST(Migrate, ChangesNoResultOfMessagesAndCollectives, ranks(2, 4, 7, 16)) {
  if (!heddle::testing::share_variables(size)) return;
  std::minstd_rand random(static_cast<unsigned>(heddle::testing::seed()) + 977U * rank + 1);
  const auto below = [&](int limit) { return static_cast<int>(random() % unsigned(limit)); };
  const int workers = place_of(rank).workers;
  const auto move_some_rank = [&] {
    const int of = below(size);
    if (host_of(of, size) != host_of(rank, size)) return;
    EXPECT_EQ(MPIX_Rank_migrate(MPI_COMM_WORLD, of, below(workers)), MPI_SUCCESS);
  };
  const int sum_of_ranks = size * (size - 1) / 2;
  MPI_Comm comm = MPI_COMM_NULL;
  for (int round = 0; round < 40; ++round) {
    if (round % 10 == 0) {
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);  // its host group begins with the places of now
    }
    move_some_rank();
    int sum = -1;
    const int mine = rank + round;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    ASSERT_EQ(sum, sum_of_ranks + size * round);

    move_some_rank();
    std::vector<int> block(round % 3 == 0 ? 20000 : 3, rank == round % size ? round : -1);
    MPI_Bcast(block.data(), static_cast<int>(block.size()), MPI_INT, round % size, comm);
    ASSERT_EQ(block, std::vector<int>(block.size(), round));

    move_some_rank();
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int got = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, right, round, &got, 1, MPI_INT, left, round, comm,
                 MPI_STATUS_IGNORE);
    ASSERT_EQ(got, left + round);

    MPI_Request request = MPI_REQUEST_NULL;
    int most = -1;
    MPI_Iallreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm, &request);
    move_some_rank();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ASSERT_EQ(most, size - 1 + round);
    MPI_Barrier(comm);
  }
  MPI_Comm_free(&comm);
}

RANKS_TEST(Migrate, SaysWhichArgumentIsWrong, ranks(2)) {
  if (!heddle::testing::share_variables(size)) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int workers = place_of(rank).workers;
  int worker = 0, count = 0;
  expect_error(MPIX_Rank_migrate(MPI_COMM_NULL, 0, 0), MPI_ERR_COMM, "comm");
  expect_error(MPIX_Rank_migrate(MPI_COMM_WORLD, size, 0), MPI_ERR_RANK, "rank");
  expect_error(MPIX_Rank_migrate(MPI_COMM_WORLD, MPI_PROC_NULL, 0), MPI_ERR_RANK, "rank");
  expect_error(MPIX_Rank_migrate(MPI_COMM_WORLD, rank, workers), MPI_ERR_ARG,
               "MPIX_Rank_migrate: argument worker is ");
  expect_error(MPIX_Rank_migrate(MPI_COMM_WORLD, rank, -1), MPI_ERR_ARG,
               "argument worker is -1, but there are workers 0 to ");
  expect_error(MPIX_Rank_worker(MPI_COMM_WORLD, -1, &worker, &count), MPI_ERR_RANK, "rank");
  expect_error(MPIX_Rank_worker(MPI_COMM_WORLD, rank, nullptr, &count), MPI_ERR_ARG, "worker");
  expect_error(MPIX_Rank_worker(MPI_COMM_WORLD, rank, &worker, nullptr), MPI_ERR_ARG, "workers");
}

RANKS_TEST(Migrate, IsUnsupportedForRanksThatAreNotHere, ranks(2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int worker = -1, workers = -1;
  double seconds = 0;
  for (int of = 0; of < size; ++of) {
    if (host_of(of, size) == host_of(rank, size)) continue;
    expect_error(MPIX_Rank_load(MPI_COMM_WORLD, of, &seconds), MPI_ERR_UNSUPPORTED_OPERATION,
                 "rank");
    expect_error(MPIX_Rank_migrate(MPI_COMM_WORLD, of, 0), MPI_ERR_UNSUPPORTED_OPERATION, "rank");
    expect_error(MPIX_Rank_worker(MPI_COMM_WORLD, of, &worker, &workers),
                 MPI_ERR_UNSUPPORTED_OPERATION, "rank");
  }
}
