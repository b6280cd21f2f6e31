// Gather, scatter and allgather, with and without counts of their own (MPI 5.0 §6.5 to §6.7).

#include <algorithm>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {
using namespace heddle::testing;

// A buffer with the pieces of all ranks where the layout wants them.
Ints laid_out(const Layout& layout, int size) {
  Ints data(static_cast<std::size_t>(layout.extent), kUntouched);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < layout.count(i); ++j) {
      data[static_cast<std::size_t>(layout.displacement(i) + j)] = value(i, j);
    }
  }
  return data;
}

}  // namespace

RANKS_TEST(Gather, CollectsAtEveryRoot, ranks(1, 2, 4, 7)) {
  for (int root = 0; root < size; ++root) {
    for (const int count : kCounts) {
      const Ints mine = input(rank, count + 1);
      Ints all = room(size * count);
      ASSERT_EQ(
          MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, MPI_COMM_WORLD),
          MPI_SUCCESS);
      const Ints expected = rank == root ? all_inputs(size, count) : Ints();
      EXPECT_EQ(first(all, static_cast<int>(expected.size())), expected);
      EXPECT_EQ(all.back(), kUntouched);
    }
  }
}

RANKS_TEST(Gather, TheRootsPieceMayBeInPlace, ranks(1, 2, 4, 7)) {
  for (int root = 0; root < size; ++root) {
    for (const int count : kCounts) {
      const Ints mine = input(rank, count + 1);
      Ints all = room(size * count);
      std::copy(mine.begin(), mine.end() - 1, all.begin() + rank * count);
      const void* send = rank == root ? MPI_IN_PLACE : mine.data();
      // What is not significant may be nonsense.
      ASSERT_EQ(rank == root ? MPI_Gather(send, -1, MPI_DATATYPE_NULL, all.data(), count, MPI_INT,
                                          root, MPI_COMM_WORLD)
                             : MPI_Gather(send, count, MPI_INT, nullptr, -1, MPI_DATATYPE_NULL,
                                          root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      if (rank == root) {
        EXPECT_EQ(first(all, size * count), all_inputs(size, count));
      }
    }
  }
}

// Lengths on both sides of a rank's share of the scratch memory.
RANKS_TEST(Gather, ACrowdCollects, ranks(40)) {
  for (const int count : {0, 1, 3, 64, 110, 1000, 20000}) {
    for (const int root : {0, 17, size - 1}) {
      Ints mine = input(rank, count);
      Ints all = rank == root ? room(size * count) : Ints();
      ASSERT_EQ(
          MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, MPI_COMM_WORLD),
          MPI_SUCCESS);
      mine.assign(mine.size(), kUntouched);  // the root has it
      if (rank != root) continue;
      EXPECT_EQ(first(all, size * count), all_inputs(size, count));
      EXPECT_EQ(all.back(), kUntouched);
    }
  }
}

// Some pieces are short, some long: a rank with a long one waits, the others go on.
RANKS_TEST(Gatherv, ACrowdCollectsPiecesOfAllLengths, ranks(40)) {
  Ints counts, begins, expected;
  int total = 0;
  for (int i = 0; i < size; ++i) {
    const Ints piece = input(i, i % 3 == 0 ? 3000 : i);
    counts.push_back(static_cast<int>(piece.size()));
    begins.push_back(total);
    total += counts.back();
    expected.insert(expected.end(), piece.begin(), piece.end());
  }
  for (const int root : {0, 1, size - 1}) {
    const int own = counts[static_cast<std::size_t>(rank)];
    Ints mine = input(rank, own), all = room(rank == root ? total : 0);
    ASSERT_EQ(MPI_Gatherv(mine.data(), own, MPI_INT, all.data(), counts.data(), begins.data(),
                          MPI_INT, root, MPI_COMM_WORLD),
              MPI_SUCCESS);
    mine.assign(mine.size(), kUntouched);
    if (rank == root) {
      EXPECT_EQ(first(all, total), expected);
    }
  }
}

RANKS_TEST(Gatherv, PutsPiecesWhereTheyBelong, ranks(1, 2, 4, 7)) {
  for (int root = 0; root < size; ++root) {
    for (const int unit : {1, 50, 9000}) {
      const Layout layout(size, unit);
      const Ints mine = input(rank, layout.count(rank));
      Ints all(static_cast<std::size_t>(layout.extent), kUntouched);
      for (const bool in_place : {false, true}) {
        if (in_place && rank == root) {
          std::copy(mine.begin(), mine.end(), all.begin() + layout.displacement(rank));
        }
        const void* send = in_place && rank == root ? MPI_IN_PLACE : mine.data();
        ASSERT_EQ(MPI_Gatherv(send, layout.count(rank), MPI_INT, all.data(), layout.counts.data(),
                              layout.displacements.data(), MPI_INT, root, MPI_COMM_WORLD),
                  MPI_SUCCESS);
        if (rank == root) {
          EXPECT_EQ(all, laid_out(layout, size));
        }
        all.assign(all.size(), kUntouched);
      }
    }
  }
}

RANKS_TEST(Scatter, DealsOutFromEveryRoot, ranks(1, 2, 4, 7)) {
  for (int root = 0; root < size; ++root) {
    for (const int count : kCounts) {
      Ints all = all_inputs(size, count), mine = room(count);
      all.push_back(0);
      ASSERT_EQ(MPI_Scatter(all.data(), count, MPI_INT, mine.data(), count, MPI_INT, root,
                            MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(first(mine, count), input(rank, count));
      EXPECT_EQ(mine.back(), kUntouched);
      // In place at the root; what is not significant may be nonsense.
      mine = room(count);
      ASSERT_EQ(rank == root ? MPI_Scatter(all.data(), count, MPI_INT, MPI_IN_PLACE, -1,
                                           MPI_DATATYPE_NULL, root, MPI_COMM_WORLD)
                             : MPI_Scatter(nullptr, -1, MPI_DATATYPE_NULL, mine.data(), count,
                                           MPI_INT, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(first(mine, count), rank == root ? first(room(count), count) : input(rank, count));
      EXPECT_EQ(first(all, size * count), all_inputs(size, count));
    }
  }
}

RANKS_TEST(Scatterv, TakesPiecesFromWhereTheyAre, ranks(1, 2, 4, 7)) {
  for (int root = 0; root < size; ++root) {
    for (const int unit : {1, 50, 9000}) {
      const Layout layout(size, unit);
      const Ints all = laid_out(layout, size);
      Ints mine = room(layout.count(rank));
      ASSERT_EQ(MPI_Scatterv(all.data(), layout.counts.data(), layout.displacements.data(), MPI_INT,
                             mine.data(), layout.count(rank), MPI_INT, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(first(mine, layout.count(rank)), input(rank, layout.count(rank)));
      EXPECT_EQ(mine.back(), kUntouched);
    }
  }
}

RANKS_TEST(Allgather, GivesEverybodyEverything, ranks(1, 2, 4, 7)) {
  for (const int count : kCounts) {
    const Ints mine = input(rank, count + 1);
    Ints all = room(size * count);
    ASSERT_EQ(
        MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD),
        MPI_SUCCESS);
    EXPECT_EQ(first(all, size * count), all_inputs(size, count));
    EXPECT_EQ(all.back(), kUntouched);

    Ints in_place = room(size * count);
    std::copy(mine.begin(), mine.end() - 1, in_place.begin() + rank * count);
    ASSERT_EQ(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in_place.data(), count, MPI_INT,
                            MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(in_place, all);
  }
}

RANKS_TEST(Allgatherv, GivesEverybodyEverything, ranks(1, 2, 4, 7)) {
  for (const int unit : {1, 50, 9000, 40000}) {
    const Layout layout(size, unit);
    const Ints mine = input(rank, layout.count(rank)), expected = laid_out(layout, size);
    Ints all(expected.size(), kUntouched);
    ASSERT_EQ(
        MPI_Allgatherv(mine.data(), layout.count(rank), MPI_INT, all.data(), layout.counts.data(),
                       layout.displacements.data(), MPI_INT, MPI_COMM_WORLD),
        MPI_SUCCESS);
    EXPECT_EQ(all, expected);

    all.assign(all.size(), kUntouched);
    std::copy(mine.begin(), mine.end(), all.begin() + layout.displacement(rank));
    ASSERT_EQ(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), layout.counts.data(),
                             layout.displacements.data(), MPI_INT, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(all, expected);
  }
}

RANKS_TEST(Gather, TransposesWithDerivedTypes, ranks(2, 4, 7)) {
  // Each rank has a row; the root receives it as a column.
  constexpr int kRow = 100;
  MPI_Datatype vector, column;
  MPI_Type_vector(kRow, 1, size, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, sizeof(int), &column);
  MPI_Type_commit(&column);
  const Ints row = input(rank, kRow);
  Ints matrix = room(kRow * size);
  MPI_Allgather(row.data(), kRow, MPI_INT, matrix.data(), 1, column, MPI_COMM_WORLD);
  for (int i = 0; i < kRow; ++i) {
    for (int r = 0; r < size; ++r) {
      ASSERT_EQ(matrix[static_cast<std::size_t>(i * size + r)], value(r, i));
    }
  }
  EXPECT_EQ(matrix.back(), kUntouched);
  MPI_Type_free(&vector);
  MPI_Type_free(&column);
}
