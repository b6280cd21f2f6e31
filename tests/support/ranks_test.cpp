#include "tests/support/ranks_test.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "base/test_seeds.h"
#include "tests/support/pretended_hosts.h"
#include "tests/support/started_processes.h"

namespace heddle::testing {

namespace {

unsigned long current_seed = 0;

// What every rank runs: the body between MPI_Init_thread and MPI_Finalize.
void run_rank(void* argument) {
  const auto body = *static_cast<RankBody*>(argument);
  int provided = 0;
  ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  ASSERT_EQ(provided, MPI_THREAD_MULTIPLE);
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  body(rank, size);
  if (::testing::Test::HasFatalFailure()) {
    std::fprintf(stderr, "rank %d of %d stops the test program; seed %lu\n", rank, size, seed());
    std::fflush(nullptr);
    _exit(1);
  }
  MPI_Finalize();
}

class RanksTest : public ::testing::Test {
 public:
  RanksTest(int count, RankBody body) : count_(count), body_(body) {}

  void TestBody() override {
    if (TestSeeds::many()) return explore();
    current_seed = number_from("HEDDLE_TEST_SEED", std::random_device{}());
    run(number_from("HEDDLE_TEST_WORKERS", usual_workers()),
        number_from("HEDDLE_TEST_YIELD_SEED", 0));
    if (HasFailure()) std::printf("seed %lu\n", seed());
  }

 private:
  void run(unsigned long workers, unsigned long yield_seed) {
    MPIX_Run_options options = {};
    options.workers = static_cast<int>(workers);
    options.yield_seed = yield_seed;
    if (const int processes = processes_wanted(count_)) {
      const auto run = [&](int) { return run_here(processes, options); };
      EXPECT_TRUE(run_in_processes(processes, run));
      return;
    }
    PretendedHosts hosts(hosts_from_environment(count_));
    ASSERT_EQ(hosts.run(count_, run_rank, &body_, options), MPI_SUCCESS);
  }

  // In one of several processes: its ranks. Returns true if no check has failed.
  bool run_here(int processes, const MPIX_Run_options& options) {
    if (processes == count_) {
      run_rank(&body_);
    } else {
      const runtime::Pretence started{.by_launcher = true};
      EXPECT_EQ(heddle_run_on_hosts(count_, run_rank, &body_, &options, &started), MPI_SUCCESS);
    }
    return !HasFailure();
  }

  void explore() {
    for (const unsigned seed : TestSeeds(0, 0)) {
      current_seed = seed;
      for (const unsigned long workers : {1, 2}) run(workers, seed);
    }
  }

  // Two, so that ranks meet inside a worker and across. Under ThreadSanitizer a rank that joins a
  // kernel thread blocks its worker (exec/process/threads/threads.cpp), so tests of threads need one a rank.
  unsigned long usual_workers() const {
#if defined(__SANITIZE_THREAD__)
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = std::string(info->test_suite_name()) + info->name();
    if (name.find("Thread") != std::string::npos) return static_cast<unsigned long>(count_);
#endif
    return 2;
  }

  const int count_;
  RankBody body_;
};

}  // namespace

unsigned long seed() {
  return current_seed;
}

int host_of(int rank, int size) {
  if (const int processes = processes_wanted(size)) {
    return runtime::host_in_blocks(rank, size, processes);
  }
  const HostsWanted wanted = hosts_from_environment(size);
  return wanted.host_of(rank, size, wanted.hosts);
}

int node_of(int rank, int size) {
  if (processes_wanted(size) != 0) return 0;
  return host_of(rank, size) / hosts_from_environment(size).hosts_a_node;
}

bool share_variables(int size) {
  return processes_wanted(size) <= 1;
}

bool register_ranks_test(const char* suite, const char* name, const char* file, int line,
                         std::vector<int> counts, RankBody body) {
  for (const int count : counts) {
    const std::string full_name = std::string(name) + "/" + std::to_string(count);
    ::testing::RegisterTest(suite, full_name.c_str(), nullptr, nullptr, file, line,
                            [=]() -> RanksTest* { return new RanksTest(count, body); });
  }
  return true;
}

}  // namespace heddle::testing
