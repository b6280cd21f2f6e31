// Barriers, broadcasts and reductions in random order on several communicators and from several
// strands, against loops over what every rank gives. The seed is printed where a test fails.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

#include "heddle/mpix.h"
#include "src/base/test_seeds.h"
#include "tests/coll/oracle.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

using Word = std::uint64_t;
using Words = std::vector<Word>;

// Functions x -> a x + b modulo 2^32, one after the other: they do not commute.
Word compose(Word first, Word second) {
  const auto a1 = static_cast<std::uint32_t>(first >> 32), b1 = static_cast<std::uint32_t>(first);
  const auto a2 = static_cast<std::uint32_t>(second >> 32), b2 = static_cast<std::uint32_t>(second);
  return Word{a1 * a2} << 32 | (a2 * b1 + b2);
}

void compose_all(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* first = static_cast<const Word*>(in);
  auto* second = static_cast<Word*>(inout);
  for (int i = 0; i < *count; ++i) second[i] = compose(first[i], second[i]);
}

constexpr int kOperations = 4;

Word combined(int operation, Word a, Word b) {
  switch (operation) {
    case 0:
      return a + b;
    case 1:
      return std::max(a, b);
    case 2:
      return a ^ b;
  }
  return compose(a, b);
}

// A communicator, its own sequence of collectives, and an operation for them.
class Sequence {
 public:
  // Takes over the communicator. All members give the same `number`.
  Sequence(MPI_Comm comm, unsigned long number) : comm_(comm), random_(seed() * 1000 + number) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Op_create(compose_all, /*commute=*/0, &composition_);
  }
  ~Sequence() {
    MPI_Op_free(&composition_);
    if (comm_ != MPI_COMM_SELF) MPI_Comm_free(&comm_);
  }
  Sequence(const Sequence&) = delete;

  // The next collective.
  void step() {
    static constexpr int kLengths[] = {0, 1, 1, 1, 2, 9, 100, 130, 700, 3000, 20000};
    const auto what = random_() % 4;
    count_ = kLengths[random_() % std::size(kLengths)];
    salt_ = random_();
    root_ = static_cast<int>(random_() % static_cast<unsigned>(size_));
    operation_ = static_cast<int>(random_() % kOperations);
    in_place_ = random_() % 2 == 0;
    if (what == 0) MPI_Barrier(comm_);
    if (what == 1) broadcast();
    if (what == 2) reduce();
    if (what == 3) allreduce();
  }

 private:
  Words given_by(int rank) const {
    Words all(static_cast<std::size_t>(count_));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = (salt_ + static_cast<Word>(rank) * 1000003 + i) * 0x9e3779b97f4a7c15;
    }
    return all;
  }

  Words combination() const {
    Words all = given_by(0);
    for (int rank = 1; rank < size_; ++rank) {
      const Words next = given_by(rank);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = combined(operation_, all[i], next[i]);
    }
    return all;
  }

  MPI_Op op() const {
    const MPI_Op known[] = {MPI_SUM, MPI_MAX, MPI_BXOR, composition_};
    return known[operation_];
  }

  // Every other word at the root, adjacent words elsewhere.
  void broadcast() {
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Type_vector(count_, 1, 2, MPI_UINT64_T, &spread);
    MPI_Type_commit(&spread);
    const Words expected = given_by(root_);
    Words data(expected.size() * 2 + 1, 0);
    if (rank_ == root_) {
      for (std::size_t i = 0; i < expected.size(); ++i) data[2 * i] = expected[i];
      MPI_Bcast(data.data(), 1, spread, root_, comm_);
    } else {
      MPI_Bcast(data.data(), count_, MPI_UINT64_T, root_, comm_);
      data.resize(expected.size());
      EXPECT_TRUE(data == expected) << describe("MPI_Bcast");
    }
    MPI_Type_free(&spread);
  }

  void reduce() {
    Words data = given_by(rank_), result(data.size() + 1, 5);
    const bool root = rank_ == root_;
    if (root && in_place_) {
      result = data;
      MPI_Reduce(MPI_IN_PLACE, result.data(), count_, MPI_UINT64_T, op(), root_, comm_);
    } else {
      MPI_Reduce(data.data(), result.data(), count_, MPI_UINT64_T, op(), root_, comm_);
    }
    EXPECT_TRUE(data == given_by(rank_)) << describe("MPI_Reduce");
    if (!root) return;
    result.resize(data.size());
    EXPECT_TRUE(result == combination()) << describe("MPI_Reduce");
  }

  void allreduce() {
    Words data = given_by(rank_), result(data);
    MPI_Allreduce(in_place_ ? MPI_IN_PLACE : data.data(), result.data(), count_, MPI_UINT64_T, op(),
                  comm_);
    EXPECT_TRUE(result == combination()) << describe("MPI_Allreduce");
  }

  std::string describe(const char* call) const {
    return std::string(call) + " of " + std::to_string(count_) + ", operation " +
           std::to_string(operation_) + ", root " + std::to_string(root_) + " of " +
           std::to_string(size_) + ", seed " + std::to_string(seed());
  }

  MPI_Comm comm_;
  std::mt19937_64 random_;
  MPI_Op composition_ = MPI_OP_NULL;
  int rank_ = 0, size_ = 0;
  int count_ = 0, root_ = 0, operation_ = 0;
  Word salt_ = 0;
  bool in_place_ = false;
};

MPI_Comm dup() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

MPI_Comm split(int color, int key) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
  return comm;
}

}  // namespace

RANKS_TEST(CollectiveStress, OnCommunicatorsOfAllShapes, ranks(1, 2, 4, 7, 16)) {
  Sequence everybody(dup(), 1), backwards(split(0, -rank), 2);
  Sequence odd_or_even(split(rank % 2, 0), 3), halves(split(rank < size / 2, -rank), 4);
  Sequence myself(MPI_COMM_SELF, 5);
  std::mt19937 order(static_cast<unsigned>(seed()));
  for (int i = heddle::TestSeeds::rounds(60); i > 0; --i) {
    Sequence* const all[] = {&everybody, &backwards, &odd_or_even, &halves, &myself};
    all[order() % std::size(all)]->step();
  }
}

RANKS_TEST(CollectiveStress, ThreadsHaveCommunicatorsOfTheirOwn, ranks(2, 4, 7)) {
  constexpr int kThreads = 3;
  const int steps = heddle::TestSeeds::rounds(30);
  Sequence mine(dup(), 10);
  std::vector<std::unique_ptr<Sequence>> theirs;
  for (int i = 0; i < kThreads; ++i) {
    theirs.push_back(std::make_unique<Sequence>(i % 2 == 0 ? dup() : split(0, -rank), 11U + i));
  }
  RankThreads threads;
  for (auto& sequence : theirs) {
    threads.start([&] {
      for (int i = 0; i < steps; ++i) sequence->step();
    });
  }
  for (int i = 0; i < steps; ++i) mine.step();
}

RANKS_TEST(CollectiveStress, ThreadsOfARankTakePhases, ranks(1, 2, 4, 7)) {
  Sequence sequence(dup(), 20);
  std::mt19937 who(static_cast<unsigned>(seed()) + static_cast<unsigned>(rank));
  for (int i = heddle::TestSeeds::rounds(40); i > 0; --i) {
    if (who() % 3 == 0) {
      RankThreads().start([&] { sequence.step(); });
    } else {
      sequence.step();
    }
  }
}

RANKS_TEST(Bcast, RootsThatRunAheadLoseNothing, ranks(2, 4, 7)) {
  for (int i = 0; i < 200; ++i) {
    for (const int root : {0, size - 1}) {
      int data = rank == root ? i * 10 + root : -1;
      MPI_Bcast(&data, 1, MPI_INT, root, MPI_COMM_WORLD);
      EXPECT_EQ(data, i * 10 + root);
      const int mine = rank + i;
      int sum = -1;
      MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
      EXPECT_EQ(sum, rank == root ? size * (size - 1) / 2 + size * i : -1);
    }
  }
}

RANKS_TEST(Bcast, TellsWhoHasTooLittleRoom, ranks(2, 4)) {
  for (const int count : {4, 100000}) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    Ints data = rank == 0 ? input(0, count) : room(count);
    const int mine = rank == 1 ? count / 2 : count;
    const int code = MPI_Bcast(data.data(), mine, MPI_INT, 0, MPI_COMM_WORLD);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    EXPECT_EQ(error_class, rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    EXPECT_EQ(first(data, mine), input(0, mine));
    EXPECT_EQ(data[static_cast<std::size_t>(count / 2)],
              rank == 1 ? kUntouched : value(0, count / 2));
  }
}

RANKS_TEST(Disagreement, IsToldToAllWhoWait, ranks(2, 4, 7)) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const int count : {1, 20000, 1, 20000, 1, 20000}) {
    const Ints mine = input(rank, 20000);
    Ints sum = room(20000);
    const auto allreduce = [&](int length) {
      return MPI_Allreduce(mine.data(), sum.data(), length, MPI_INT, MPI_SUM, comm);
    };
    const int odd_one = size - 1;
    // Another operation; another length.
    EXPECT_EQ(rank == odd_one ? MPI_Barrier(comm) : allreduce(count), MPI_ERR_OTHER);
    EXPECT_EQ(allreduce(rank == odd_one ? 300 : count), MPI_ERR_OTHER);
    EXPECT_EQ(sum, room(20000));
    EXPECT_EQ(allreduce(count), MPI_SUCCESS);
    EXPECT_EQ(first(sum, count), sum_of_inputs(size, count));
  }
  MPI_Comm_free(&comm);
}

// Also where ranks are on several hosts, whichever of them comes first.
RANKS_TEST(ReductionBits, AreTheSameEveryTimeAndEverywhere, ranks(2, 7, 13)) {
  for (const int count : {1, 50, 5000}) {
    std::vector<double> mine, first, sum(static_cast<std::size_t>(count)), other(sum);
    for (int i = 0; i < count; ++i) mine.push_back(1.0 / (3 + rank) + 1e-9 * i * rank);
    for (int round = 0; round < 10; ++round) {
      if (round % size == rank) std::this_thread::yield();
      MPI_Allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (round == 0) first = sum;
      EXPECT_EQ(std::memcmp(sum.data(), first.data(), sum.size() * sizeof(double)), 0);
      MPI_Reduce(mine.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, round % size,
                 MPI_COMM_WORLD);
      if (rank == round % size) {
        EXPECT_EQ(std::memcmp(other.data(), first.data(), sum.size() * sizeof(double)), 0);
      }
    }
    MPI_Bcast(sum.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    EXPECT_EQ(std::memcmp(sum.data(), first.data(), sum.size() * sizeof(double)), 0);
  }
}

// Sums of doubles depend on their order, so equal bits show that workers and arrival do not matter.
TEST(BitsOfReductions, AreTheSameOnAnyNumberOfWorkers) {
  constexpr int kRanks = 13;
  struct Outcome {
    std::vector<double> sums[kRanks];
  };
  const auto rank_main = [](void* argument) {
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<double>& sums = static_cast<Outcome*>(argument)->sums[rank];
    for (const int count : {1, 50, 5000}) {
      std::vector<double> mine, sum(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) mine.push_back(1.0 / (3 + rank) + 1e-9 * i * rank);
      MPI_Allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      sums.insert(sums.end(), sum.begin(), sum.end());
    }
    MPI_Finalize();
  };
  std::vector<double> expected;
  for (const int count : {1, 50, 5000}) {
    for (int i = 0; i < count; ++i) {
      double sum = 1.0 / 3;
      for (int rank = 1; rank < kRanks; ++rank) sum += 1.0 / (3 + rank) + 1e-9 * i * rank;
      expected.push_back(sum);
    }
  }
  for (const int workers : {1, 2, 3, 5}) {
    Outcome outcome;
    MPIX_Run_options options = {};
    options.workers = workers;
    ASSERT_EQ(MPIX_Run(kRanks, rank_main, &outcome, &options), MPI_SUCCESS);
    for (const std::vector<double>& sums : outcome.sums) {
      ASSERT_EQ(sums.size(), expected.size());
      EXPECT_EQ(std::memcmp(sums.data(), expected.data(), sums.size() * sizeof(double)), 0);
    }
  }
}
