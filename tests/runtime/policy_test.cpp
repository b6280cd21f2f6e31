// MPIX_Balance: a policy sees loads and places, and ranks go where it says.

#include <mpi.h>
#include <pthread.h>

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

// A rank that has not begun yet is shown as one that has ended.
bool begin(int size) {
  if (!heddle::testing::share_variables(size)) return false;
  MPI_Barrier(MPI_COMM_WORLD);
  return true;
}

bool is_here(int of, int rank, int size) {
  return host_of(of, size) == host_of(rank, size);
}

// What a policy of the tests saw, and does.
struct Seen {
  int calls = 0;
  double seconds = -1;
  std::vector<double> rank_loads, worker_loads, by_worker;
  std::vector<int> places;
  int rank_to_move = -1, worker = -1;
};

void note(MPIX_Loads* loads, void* extra_state) {
  Seen& seen = *static_cast<Seen*>(extra_state);
  ++seen.calls;
  seen.seconds = loads->seconds;
  seen.rank_loads.assign(loads->rank_loads, loads->rank_loads + loads->ranks);
  seen.worker_loads.assign(loads->worker_loads, loads->worker_loads + loads->workers);
  seen.by_worker.assign(loads->rank_loads_by_worker,
                        loads->rank_loads_by_worker + loads->ranks * loads->workers);
  seen.places.assign(loads->places, loads->places + loads->ranks);
  if (seen.rank_to_move >= 0) loads->places[seen.rank_to_move] = seen.worker;
}

void ask(Seen& seen, int* moved) {
  ASSERT_EQ(MPIX_Balance(MPI_COMM_WORLD, note, &seen, moved), MPI_SUCCESS);
}

void expect_refusal(Seen& seen, const char* part) {
  int moved = -1;
  const int code = MPIX_Balance(MPI_COMM_WORLD, note, &seen, &moved);
  int error_class = MPI_SUCCESS, length = 0;
  MPI_Error_class(code, &error_class);
  char text[MPI_MAX_ERROR_STRING] = "";
  MPI_Error_string(code, text, &length);
  EXPECT_EQ(error_class, MPI_ERR_ARG);
  EXPECT_NE(std::string(text).find(part), std::string::npos) << text;
  EXPECT_EQ(moved, -1);
}

}  // namespace

RANKS_TEST(Balance, ShowsThePolicyWhereRanksAre, ranks(2, 4, 7)) {
  if (!begin(size)) return;
  Seen seen;
  int moved = -1;
  ask(seen, &moved);
  EXPECT_EQ(moved, 0);
  EXPECT_EQ(seen.calls, 1);
  ASSERT_EQ(seen.places.size(), static_cast<std::size_t>(size));
  EXPECT_EQ(seen.worker_loads.size(), static_cast<std::size_t>(place_of(rank).workers));
  for (int of = 0; of < size; ++of) {
    const int wanted = is_here(of, rank, size) ? place_of(of).worker : -1;
    EXPECT_EQ(seen.places[static_cast<std::size_t>(of)], wanted);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

RANKS_TEST(Balance, ShowsThePolicyWhatRanksHaveSpentSinceTheLastCall, ranks(2, 4)) {
  if (!begin(size)) return;
  Seen seen;
  ask(seen, nullptr);
  const auto self = static_cast<std::size_t>(rank);
  EXPECT_EQ(seen.rank_loads[self], 0.0) << "at first nothing was measured";
  double before = 0, now = 0;
  MPIX_Rank_load(MPI_COMM_WORLD, rank, &before);
  do {
    MPIX_Rank_load(MPI_COMM_WORLD, rank, &now);
  } while (now < before + 0.002);
  ask(seen, nullptr);
  EXPECT_GE(seen.rank_loads[self], 0.002);
  EXPECT_GE(seen.worker_loads[static_cast<std::size_t>(place_of(rank).worker)], 0.001);
  EXPECT_GT(seen.seconds, 0.0);
  EXPECT_EQ(seen.calls, 2);
  MPI_Barrier(MPI_COMM_WORLD);
}

// With these pthread_create is the sanitizer's, so that threads are kernel threads.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
void* compute(void* rank) {
  double before = 0, now = 0;
  MPIX_Rank_load(MPI_COMM_WORLD, *static_cast<int*>(rank), &before);
  do {
    MPIX_Rank_load(MPI_COMM_WORLD, *static_cast<int*>(rank), &now);
  } while (now < before + 0.01);
  return nullptr;
}

// The only thread of a rank begins on the next worker.
RANKS_TEST(Balance, ShowsThePolicyWhichWorkersHaveRunARanksThreads, ranks(2, 4)) {
  if (!begin(size)) return;
  Seen seen;
  ask(seen, nullptr);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, compute, &rank), 0);
  pthread_join(thread, nullptr);
  ask(seen, nullptr);
  const auto workers = static_cast<std::size_t>(place_of(rank).workers);
  const auto at = static_cast<std::size_t>(rank) * workers;
  double sum = 0;
  for (std::size_t worker = 0; worker < workers; ++worker) sum += seen.by_worker[at + worker];
  EXPECT_NEAR(sum, seen.rank_loads[static_cast<std::size_t>(rank)], 0.001);
  const auto home = static_cast<std::size_t>(place_of(rank).worker);
  if (workers > 1) {
    EXPECT_GE(seen.by_worker[at + (home + 1) % workers], 0.01 - 0.001);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
#endif

RANKS_TEST(Balance, MovesTheRanksThatThePolicyNames, ranks(2, 4, 7)) {
  if (!begin(size)) return;
  for (int of = 0; rank == 0 && of < size; ++of) {
    if (!is_here(of, 0, size)) continue;
    const Place before = place_of(of);
    Seen seen;
    seen.rank_to_move = of;
    seen.worker = before.workers - 1 - before.worker;
    int moved = -1;
    ask(seen, &moved);
    EXPECT_EQ(moved, seen.worker != before.worker ? 1 : 0);
    EXPECT_EQ(place_of(of).worker, seen.worker);
  }
  int sum = -1;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum, size * (size - 1) / 2);
}

RANKS_TEST(Balance, RefusesWhatAPolicyMayNotDo, ranks(2, 4)) {
  if (!begin(size)) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int workers = place_of(rank).workers, before = place_of(rank).worker;
  Seen seen;
  seen.rank_to_move = rank;
  seen.worker = workers;
  expect_refusal(seen, "but there are workers 0 to ");
  seen.worker = -1;
  expect_refusal(seen, "but there are workers 0 to ");
  for (int of = 0; of < size; ++of) {
    if (is_here(of, rank, size)) continue;
    seen.rank_to_move = of;
    seen.worker = 0;
    expect_refusal(seen, "the rank is in another process, or has not begun");
  }
  EXPECT_EQ(place_of(rank).worker, before);
  MPI_Barrier(MPI_COMM_WORLD);
}

// The built-in policy moves nothing where nothing was measured.
RANKS_TEST(Balance, HasAPolicyOfItsOwn, ranks(2)) {
  if (!begin(size)) return;
  int moved = -1;
  EXPECT_EQ(MPIX_Balance(MPI_COMM_WORLD, MPIX_BALANCE_EVEN, nullptr, &moved), MPI_SUCCESS);
  EXPECT_EQ(moved, 0);
  MPI_Barrier(MPI_COMM_WORLD);
}
