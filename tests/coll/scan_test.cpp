// Prefix reductions (MPI 5.0 §6.11).

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {
using namespace heddle::testing;
}  // namespace

RANKS_TEST(Scan, SumsUpToItself, ranks(1, 2, 4, 7)) {
  for (const int count : kCounts) {
    const Ints mine = input(rank, count + 1), expected = sum_of_inputs(rank + 1, count);
    Ints sum = room(count), in_place = mine;
    ASSERT_EQ(MPI_Scan(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(first(sum, count), expected);
    EXPECT_EQ(sum.back(), kUntouched);
    ASSERT_EQ(MPI_Scan(MPI_IN_PLACE, in_place.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(first(in_place, count), expected);
  }
}

RANKS_TEST(Exscan, SumsWhatIsBefore, ranks(1, 2, 4, 7)) {
  for (const int count : kCounts) {
    const Ints mine = input(rank, count + 1), expected = sum_of_inputs(rank, count);
    Ints sum = room(count), in_place = mine;
    ASSERT_EQ(MPI_Exscan(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    ASSERT_EQ(MPI_Exscan(MPI_IN_PLACE, in_place.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    if (rank > 0) {
      EXPECT_EQ(first(sum, count), expected);
      EXPECT_EQ(first(in_place, count), expected);
    }
    EXPECT_EQ(sum.back(), kUntouched);
  }
}
