// Reductions with predefined operations (MPI 5.0 §6.9, §6.10).

#include <algorithm>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {
using namespace heddle::testing;
}  // namespace

RANKS_TEST(Reduce, SumsAtEveryRoot, ranks(1, 2, 4, 7, 16)) {
  for (int root = 0; root < size; ++root) {
    for (const int count : kCounts) {
      const Ints mine = input(rank, count + 1), expected = sum_of_inputs(size, count);
      Ints sum = room(count);
      ASSERT_EQ(MPI_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      if (rank == root) {
        EXPECT_EQ(first(sum, count), expected);
      } else {
        EXPECT_EQ(sum, room(count));
      }
      EXPECT_EQ(mine, input(rank, count + 1));
      // In place at the root, where the contribution is in the result's buffer.
      Ints both = input(rank, count + 1);
      const int last = both.back();
      ASSERT_EQ(MPI_Reduce(rank == root ? MPI_IN_PLACE : both.data(),
                           rank == root ? both.data() : nullptr, count, MPI_INT, MPI_SUM, root,
                           MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(first(both, count), rank == root ? expected : input(rank, count));
      EXPECT_EQ(both.back(), last);
    }
  }
}

// Beyond the standard, as with other MPIs: docs/reference/conformance.md.
RANKS_TEST(Allreduce, SumsCharacters, ranks(1, 4)) {
  const char mine[] = {static_cast<char>(rank), -1, 'a'};
  char sum[] = {0, 0, 0}, greatest[] = {0, 0, 0};
  ASSERT_EQ(MPI_Allreduce(mine, sum, 3, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_EQ(sum[0], size * (size - 1) / 2);
  EXPECT_EQ(sum[1], -size);
  ASSERT_EQ(MPI_Allreduce(mine, greatest, 3, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_EQ(greatest[0], size - 1);
  EXPECT_EQ(greatest[1], -1);
  EXPECT_EQ(greatest[2], 'a');
}

RANKS_TEST(Allreduce, SumsEverywhere, ranks(1, 2, 4, 7, 16)) {
  for (const int count : kCounts) {
    const Ints mine = input(rank, count + 1), expected = sum_of_inputs(size, count);
    Ints sum = room(count);
    ASSERT_EQ(MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(first(sum, count), expected);
    EXPECT_EQ(sum.back(), kUntouched);
    Ints in_place = mine;
    ASSERT_EQ(MPI_Allreduce(MPI_IN_PLACE, in_place.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(first(in_place, count), expected);
    EXPECT_EQ(in_place.back(), mine.back());
  }
}

RANKS_TEST(Allreduce, FindsMinimumMaximumAndWhere, ranks(1, 2, 4, 7)) {
  struct Pair {
    double value;
    int where;
  };
  const Pair mine = {static_cast<double>((rank * 5) % size), rank};
  Pair least = {}, most = {};
  MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  Pair expected_least = {1e9, -1}, expected_most = {-1e9, -1};
  for (int r = 0; r < size; ++r) {
    const double v = (r * 5) % size;
    if (v < expected_least.value) expected_least = {v, r};
    if (v > expected_most.value) expected_most = {v, r};
  }
  EXPECT_EQ(least.where, expected_least.where);
  EXPECT_EQ(most.where, expected_most.where);
  EXPECT_EQ(most.value, expected_most.value);
}

RANKS_TEST(Allreduce, GivesAllRanksTheSameBits, ranks(4, 7, 16)) {
  double mine = 1.0 / (3 + rank), sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::vector<double> all(static_cast<std::size_t>(size));
  MPI_Allgather(&sum, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  EXPECT_EQ(std::count(all.begin(), all.end(), sum), size);
}

RANKS_TEST(ReduceScatter, GivesEachRankItsPiece, ranks(1, 2, 4, 7)) {
  for (const int unit : {1, 40, 3000}) {
    Ints counts;
    int total = 0, before = 0;
    for (int i = 0; i < size; ++i) {
      counts.push_back((i + 1) % 3 * unit);
      if (i < rank) before += counts.back();
      total += counts.back();
    }
    const int own = counts[static_cast<std::size_t>(rank)];
    const Ints mine = input(rank, total + 1), sum = sum_of_inputs(size, total);
    const Ints expected(sum.begin() + before, sum.begin() + before + own);
    Ints piece = room(own);
    ASSERT_EQ(MPI_Reduce_scatter(mine.data(), piece.data(), counts.data(), MPI_INT, MPI_SUM,
                                 MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(first(piece, own), expected);
    EXPECT_EQ(piece.back(), kUntouched);
    Ints in_place = mine;
    ASSERT_EQ(MPI_Reduce_scatter(MPI_IN_PLACE, in_place.data(), counts.data(), MPI_INT, MPI_SUM,
                                 MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(first(in_place, own), expected);
  }
}

RANKS_TEST(ReduceScatterBlock, GivesEachRankItsPiece, ranks(1, 2, 4, 7)) {
  for (const int count : {0, 1, 50, 5000}) {
    const Ints mine = input(rank, size * count + 1), sum = sum_of_inputs(size, size * count);
    const Ints expected(sum.begin() + rank * count, sum.begin() + (rank + 1) * count);
    Ints piece = room(count);
    ASSERT_EQ(MPI_Reduce_scatter_block(mine.data(), piece.data(), count, MPI_INT, MPI_SUM,
                                       MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(first(piece, count), expected);
    Ints in_place = mine;
    ASSERT_EQ(MPI_Reduce_scatter_block(MPI_IN_PLACE, in_place.data(), count, MPI_INT, MPI_SUM,
                                       MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(first(in_place, count), expected);
  }
}
