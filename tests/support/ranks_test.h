// ranks_test.h — a test that N ranks run inside the test's own process, with no launcher.
//
//   RANKS_TEST(Send, ArrivesWhole, ranks(1, 2, 4, 7)) {
//     if (rank == 0) MPI_Send(…);
//   }
//
// makes the tests Send.ArrivesWhole/1 … /7. In the body `rank` and `size` are those of
// MPI_COMM_WORLD; MPI is initialized with MPI_THREAD_MULTIPLE before and finalized after it.
// EXPECT_ works as usual. A failed ASSERT_ ends the whole test program at once, because the other
// ranks would wait for the one that left.
//
// Variables of the environment pretend that a job has several hosts (pretended_hosts.h), or start several processes
// (started_processes.h).
//
// HEDDLE_TEST_SEED and HEDDLE_TEST_WORKERS override the seed and the number of workers; the seed is
// printed when a test fails. With HEDDLE_TEST_SEEDS (src/base/test_seeds.h) a test runs with each of
// those seeds, which is that of its forced yields, too, on one worker and on two.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <initializer_list>
#include <vector>

namespace heddle::testing {

using RankBody = void (*)(int rank, int size);

inline std::vector<int> ranks(std::initializer_list<int> counts) {
  return counts;
}
template <class... Counts>
std::vector<int> ranks(Counts... counts) {
  return {counts...};
}

// A number that differs from run to run unless HEDDLE_TEST_SEED or HEDDLE_TEST_SEEDS says otherwise;
// in the body of a RANKS_TEST.
unsigned long seed();

// Where this run's ranks are, of `size`.
int host_of(int rank, int size);
int node_of(int rank, int size);

// False where ranks are in several processes (started_processes.h).
bool share_variables(int size);

// Registers suite.name/N for every N; called by RANKS_TEST.
bool register_ranks_test(const char* suite, const char* name, const char* file, int line,
                         std::vector<int> counts, RankBody body);

}  // namespace heddle::testing

#define RANKS_TEST(suite, name, ...)                                                              \
  static void suite##_##name##_body([[maybe_unused]] int rank, [[maybe_unused]] int size);        \
  [[maybe_unused]] static const bool suite##_##name##_registered = [] {                           \
    using ::heddle::testing::ranks;                                                               \
    return ::heddle::testing::register_ranks_test(#suite, #name, __FILE__, __LINE__, __VA_ARGS__, \
                                                  suite##_##name##_body);                         \
  }();                                                                                            \
  static void suite##_##name##_body([[maybe_unused]] int rank, [[maybe_unused]] int size)
