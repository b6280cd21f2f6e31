#include "mpi/lifetime/collector.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <thread>

#include "base/test_seeds.h"
#include "base/test_yields.h"
#include "mpi/lifetime/freeing.h"
#include "mpi/lifetime/in_call.h"
#include "mpi/lifetime/lifetime_probe.h"
#include "mpi/lifetime/making.h"

// Runs under each policy (see CMakeLists.txt); what only the collector does is skipped elsewhere.

namespace heddle::lifetime {
namespace {

using testing::Handle;
using testing::Operation;
using testing::Probe;
using testing::start;

unsigned fresh_seed() {
  return std::random_device{}();
}

class CollectorTest : public ::testing::Test {
 protected:
  CollectorTest() : rank_(std::make_unique<Rank>(0)) { Rank::enter(rank_.get()); }
  ~CollectorTest() override {
    end_rank();
    Probe::alive = 0;
  }

  void end_rank() {
    rank_.reset();
    Rank::enter(nullptr);
  }

  // How many probes are left, as soon as the policy may know.
  static int alive() {
    if (policy == Policy::kCollector) Collector::of_rank().finish();
    return Probe::alive;
  }
  static int if_ended(int left, int otherwise) {
    return policy == Policy::kNone ? otherwise : left;
  }
  static Collector::Counters counters() { return Collector::of_rank().counters(); }

  std::unique_ptr<Rank> rank_;
};

class AssertedTest : public CollectorTest {
  void SetUp() override {
    if (policy != Policy::kAsserted) GTEST_SKIP();
  }
};

// Where the user asserts that no pending operation needs what is freed, nothing keeps it. The other tests free such objects.
TEST_F(AssertedTest, AnObjectEndsWhereItIsFreed) {
  Handle inner;
  Handle outer({object::Ref<const Probe>(&inner.probe())});
  object::Ref<Operation> operation = start(&outer.probe());
  operation = {};
  inner.free();
  EXPECT_EQ(Probe::alive, 2);
  outer.free();
  EXPECT_EQ(Probe::alive, 0);
}

TEST_F(AssertedTest, DebugBuildsFindThatAnOperationUsesTheObject) {
  Handle used, unused;
  object::Ref<Operation> operation = start(&unused.probe(), &used.probe());
  EXPECT_TRUE(Freeing::check_unused(used.probe(), MPI_ERR_TYPE, "datatype"));
  operation = start(&used.probe());
  EXPECT_FALSE(Freeing::check_unused(unused.probe(), MPI_ERR_TYPE, "datatype"));
  operation = {};
  EXPECT_FALSE(Freeing::check_unused(used.probe(), MPI_ERR_TYPE, "datatype"));
  used.free();
  unused.free();
}

TEST_F(CollectorTest, AFreedObjectLivesAsLongAsAnOperationNeedsIt) {
  Handle comm, type;
  object::Ref<Operation> operation = start(&comm.probe(), &type.probe());
  comm.free();
  type.free();
  EXPECT_EQ(alive(), 2);
  operation = {};
  EXPECT_EQ(alive(), if_ended(0, 2));
}

TEST_F(CollectorTest, AnObjectThatAnotherIsBuiltOnLivesAsLong) {
  Handle inner;
  Handle outer({object::Ref<const Probe>(&inner.probe())});
  inner.free();
  EXPECT_EQ(alive(), 2);
  outer.free();
  EXPECT_EQ(alive(), if_ended(0, 2));
}

TEST_F(CollectorTest, ABlockingCallKeepsWhatItUses) {
  Handle comm, type;
  {
    InCall call(&comm.probe(), &type.probe());
    comm.free();
    type.free();
    EXPECT_EQ(alive(), 2);
  }
  EXPECT_EQ(alive(), if_ended(0, 2));
}

TEST_F(CollectorTest, AReferenceMadeFromAnOperationOutlivesIt) {
  Handle handle;
  const Probe& probe = handle.probe();
  object::Ref<Operation> operation = start(&probe);
  handle.free();
  if (policy == Policy::kCollector) collect();
  object::Ref<const Probe> blamed(&probe);
  operation = {};
  EXPECT_EQ(alive(), 1);
  EXPECT_TRUE(blamed->is_alive());
  blamed = {};
  EXPECT_EQ(alive(), if_ended(0, 1));
}

TEST_F(CollectorTest, AChainOfAHundredThousandEndsWithoutRecursionAndInOneCycle) {
  constexpr int kLength = 100'000;
  std::optional<Handle> last(std::in_place);
  for (int i = 1; i < kLength; ++i) {
    Handle next({object::Ref<const Probe>(&last->probe())});
    last->free();
    last.emplace(next);
  }
  last->free();
  if (policy == Policy::kCollector) {
    collect();
    EXPECT_EQ(counters().cycles, 1u);
    EXPECT_EQ(counters().reclaimed, std::uint64_t{kLength});
  }
  EXPECT_EQ(alive(), if_ended(0, kLength));
}

TEST_F(CollectorTest, WhatEndsAFreedObjectIsItsMakersOrItsFreersMatter) {
  if (policy != Policy::kCollector) GTEST_SKIP();
  const bool freers = std::getenv("HEDDLE_CYCLE_AT") != nullptr;
  const auto free_many = [&](std::size_t count) {
    std::vector<Handle> handles(count);
    for (Handle& handle : handles) {
      const Freeing freeing;
      handle.free();
    }
  };
  free_many(least_due);
  EXPECT_EQ(Probe::alive, freers ? 0 : static_cast<int>(least_due));
  {
    const Making making;
    EXPECT_EQ(Probe::alive, 0);
  }
  free_many(least_due - 1);
  const Making making;
  EXPECT_EQ(Probe::alive, static_cast<int>(least_due) - 1);
}

TEST_F(CollectorTest, MakersKeepTheNumberOfFreedObjectsSmall) {
  if (std::getenv("HEDDLE_CYCLE_AT") != nullptr) GTEST_SKIP();  // probes have no Freeing
  std::vector<object::Ref<Operation>> pending;
  Handle kept;
  for (int i = 0; i < 1000; ++i) pending.push_back(start(&kept.probe()));
  int most = 0;
  for (int i = 0; i < 100'000; ++i) {
    Handle(Handle{}).free();
    most = std::max(most, Probe::alive.load());
  }
  if (policy != Policy::kNone) {
    // What waits is due when it pays for looking at the 1000 operations, in chunks of 128.
    EXPECT_LE(most, 2 + static_cast<int>(1100 / Collector::kLooksPerFree));
  }
  if (policy == Policy::kCollector) {
    EXPECT_EQ(counters().transients_marked, 1000u);
    EXPECT_LE(counters().cycles, 100'000u / (1000 / Collector::kLooksPerFree));
  }
  pending.clear();
  kept.free();
}

TEST_F(CollectorTest, ACycleOverNothingIsNone) {
  if (policy != Policy::kCollector) GTEST_SKIP();
  Handle handle;
  object::Ref<Operation> operation = start(&handle.probe());
  collect();
  EXPECT_EQ(counters().cycles, 0u);
  handle.free();
  EXPECT_EQ(counters().eligible, 1u);
  collect();
  EXPECT_EQ(counters().cycles, 1u);
  EXPECT_EQ(counters().eligible, 1u);
  EXPECT_EQ(counters().transients_marked, 1u);
  EXPECT_EQ(counters().reclaimed, 0u);
}

TEST_F(CollectorTest, TheEndOfTheRankEndsWhatTheProgramLeft) {
  Handle left, freed;
  freed.free();
  EXPECT_EQ(left.probe().needed.exchange(0), 1);
  end_rank();
  EXPECT_EQ(Probe::alive, if_ended(0, 2));
}

// Strands that use a rank's collector first, at once, may make several.
TEST_F(CollectorTest, ACollectorThatDidNotBecomeTheRanksEndsNothing) {
  if (policy != Policy::kCollector) GTEST_SKIP();
  Handle handle;
  handle.free();
  { const Collector unseen; }
  EXPECT_EQ(Probe::alive, 1);
  EXPECT_EQ(alive(), 0);
}

TEST_F(CollectorTest, NoticesAReferenceThatIsGivenUpOnceTooOften) {
  if (policy != Policy::kCollector) GTEST_SKIP();
  Handle handle;
  object::Ref<Operation> operation = start(&handle.probe());
  handle.free();
  EXPECT_TRUE(Eligible::of_rank().is_valid());
  handle.probe().release();
  EXPECT_FALSE(Eligible::of_rank().is_valid());
  handle.probe().retain();
  EXPECT_TRUE(Eligible::of_rank().is_valid());
}

// What the program has, for the random tests.
struct Program {
  std::vector<Handle> handles;
  std::vector<object::Ref<Operation>> operations;

  template <class T>
  static T take(std::vector<T>& from, std::mt19937& random) {
    std::swap(from[random() % from.size()], from.back());
    T taken = std::move(from.back());
    from.pop_back();
    return taken;
  }
  const Probe* any(std::mt19937& random) const {
    return random() % 4 == 0 ? nullptr : &handles[random() % handles.size()].probe();
  }
  void step(std::mt19937& random) {
    const unsigned choice = random() % 100;
    if (handles.empty() || choice < 20) {
      Probe::Parts parts;
      for (auto n = handles.empty() ? 0 : random() % 3; n > 0; --n) {
        if (const Probe* part = any(random)) parts.emplace_back(part);
      }
      handles.emplace_back(std::move(parts));
    } else if (choice < 40) {
      take(handles, random).free();
    } else if (choice < 70) {
      operations.push_back(start(any(random), any(random), any(random)));
    } else if (choice < 98) {
      if (!operations.empty()) take(operations, random);
    } else {
      collect();
    }
  }
  void end() {
    operations.clear();
    for (Handle& handle : handles) handle.free();
    handles.clear();
  }
};

TEST_F(CollectorTest, RandomProgramsNeverMissWhatTheyNeedAndLeakNothing) {
  for (const unsigned seed : TestSeeds(fresh_seed(), 20)) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    Program program;
    for (int i = TestSeeds::rounds(3000); i > 0; --i) program.step(random);
    for (const Handle& handle : program.handles) ASSERT_TRUE(handle.probe().is_alive());
    program.end();
    EXPECT_EQ(if_ended(alive(), 0), 0);
  }
}

// Threads of one rank; each hands a part of its operations to the others, who end them.
void share_a_collector(Rank* rank, unsigned seed) {
  const RandomYields yields;
  std::mutex lock;
  std::vector<object::Ref<Operation>> passed;
  const auto run = [&](unsigned number) {
    Rank::enter(rank);
    std::mt19937 random(seed * 4 + number);
    RandomYields::seed(random());
    Program program;
    for (int i = TestSeeds::rounds(4000); i > 0; --i) {
      program.step(random);
      if (random() % 4 != 0) continue;
      object::Ref<Operation> got;  // ends without the lock
      const std::lock_guard guard(lock);
      if (!program.operations.empty()) {
        passed.push_back(Program::take(program.operations, random));
      }
      if (passed.size() > 20) got = Program::take(passed, random);
    }
    program.end();
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CollectorTest, ThreadsOfARankShareItsCollector) {
  for (const unsigned seed : TestSeeds(fresh_seed(), 1)) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    share_a_collector(rank_.get(), seed);
    EXPECT_EQ(if_ended(alive(), 0), 0);
  }
}

// One thread begins operations, another ends them: the slots come back in batches.
TEST_F(CollectorTest, OperationsThatAnotherThreadEndsComeBack) {
  Handle handle;
  std::vector<object::Ref<Operation>> first;
  for (int i = 0; i < 4096; ++i) first.push_back(start(&handle.probe()));
  const auto looks = [&] { return TransientPool::of_rank().for_each([](const Transient&) {}); };
  const std::size_t at_most = looks() + 2 * TransientCache::kBatch + 1;
  for (int round = 0; round < 20; ++round) {
    std::thread([&] {
      Rank::enter(rank_.get());
      first.clear();
    }).join();
    for (int i = 0; i < 4096; ++i) first.push_back(start(&handle.probe()));
    EXPECT_LE(looks(), at_most);
  }
  first.clear();
  handle.free();
}

TEST_F(CollectorTest, ACycleLooksAtWhatIsInUseAndNotAtWhatOnceWas) {
  if (policy != Policy::kCollector) GTEST_SKIP();
  constexpr int kMost = 50'000;
  constexpr int kKept = 10;
  constexpr std::size_t kOfStrand =
      6 * TransientCache::kBatch;  // its cache holds two batches at most
  const auto looks = [&] { return TransientPool::of_rank().for_each([](const Transient&) {}); };
  const auto run_cycle = [] {
    Handle{}.free();
    collect();
  };
  std::mt19937 random(fresh_seed());
  Handle handle;
  std::vector<object::Ref<Operation>> kept;
  for (int round = 0; round < 3; ++round) {
    std::vector<object::Ref<Operation>> pending;
    for (int i = 0; i < kMost; ++i) pending.push_back(start(&handle.probe()));
    run_cycle();
    EXPECT_EQ(counters().transients_marked, pending.size() + kept.size());
    EXPECT_LE(
        looks(),
        kMost + static_cast<std::size_t>(round + 1) * kKept * TransientCache::kBatch + kOfStrand);
    std::shuffle(pending.begin(), pending.end(), random);
    for (int i = 0; i < kKept; ++i) {
      kept.push_back(std::move(pending.back()));
      pending.pop_back();
    }
    pending.clear();
    run_cycle();
    EXPECT_EQ(counters().transients_marked, kept.size());
    EXPECT_LE(looks(), kept.size() * TransientCache::kBatch + kOfStrand);
  }
  handle.free();
  EXPECT_EQ(alive(), 1);
  kept.clear();
  EXPECT_EQ(alive(), 0);
}

// What operator new does where it finds nothing.
TEST_F(CollectorTest, AMakerThatFindsNoMemoryHasFreedObjectsEnded) {
  if (policy != Policy::kCollector) GTEST_SKIP();
  Handle{}.free();
  const std::new_handler find_memory = std::get_new_handler();
  ASSERT_NE(find_memory, nullptr);
  EXPECT_THROW(find_memory(), std::bad_alloc);  // where locks may be held
  EXPECT_EQ(Probe::alive, 1);
  const Making making;
  find_memory();
  EXPECT_EQ(Probe::alive, 0);
  EXPECT_THROW(find_memory(), std::bad_alloc);  // nothing is left to end
}

TEST_F(CollectorTest, AThreadThatEndsInsideACallHoldsNothingBack) {
  Handle handle;
  std::thread([&] {
    Rank::enter(rank_.get());
    alignas(InCall) std::byte place[sizeof(InCall)];
    new (place) InCall(&handle.probe(), nullptr);  // never left, as if it had been cancelled
    handle.free();
    EXPECT_EQ(alive(), 1);
  }).join();
  EXPECT_EQ(alive(), if_ended(0, 1));
}

}  // namespace
}  // namespace heddle::lifetime
