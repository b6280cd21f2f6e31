// Collectives of intercommunicators (MPI 5.0 §6.2.2): what one group gives, the other gets.

#include <algorithm>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

// The world in two groups, the first third against the rest. Inputs are by world rank.
class Sides {
 public:
  Sides(int world_rank, int world_size)
      : first_size_(std::max(1, world_size / 3)),
        first_(world_rank < first_size_),
        begin_(first_ ? 0 : first_size_),
        other_begin_(first_ ? first_size_ : 0),
        size_(first_ ? first_size_ : world_size - first_size_),
        other_size_(world_size - size_) {
    MPI_Comm mine;
    MPI_Comm_split(MPI_COMM_WORLD, first_, 0, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, other_begin_, 1, &comm);
    MPI_Comm_free(&mine);
  }
  ~Sides() { MPI_Comm_free(&comm); }

  bool first() const { return first_; }
  int size() const { return size_; }
  int other_size() const { return other_size_; }
  int world_rank_of_other(int i) const { return other_begin_ + i; }
  int rank_in_side(int world_rank) const { return world_rank - begin_; }

  // The sum of a side's inputs.
  Ints sum_of_others(int count) const { return sum(other_begin_, other_size_, count); }

  // The root argument when rank 0 of the first group is the root.
  int root(int world_rank) const { return world_rank == 0 ? MPI_ROOT : first_ ? MPI_PROC_NULL : 0; }

  MPI_Comm comm = MPI_COMM_NULL;

 private:
  static Ints sum(int begin, int size, int count) {
    Ints total = sum_of_inputs(begin + size, count);
    const Ints before = sum_of_inputs(begin, count);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] -= before[i];
    return total;
  }

  const int first_size_;
  const bool first_;
  const int begin_, other_begin_, size_, other_size_;
};

}  // namespace

RANKS_TEST(Intercomm, BarrierAndBcast, ranks(2, 4, 7)) {
  const Sides sides(rank, size);
  for (const int count : kCounts) {
    Ints data = rank == 0 ? input(0, count + 1) : room(count);
    ASSERT_EQ(MPI_Barrier(sides.comm), MPI_SUCCESS);
    ASSERT_EQ(MPI_Bcast(data.data(), count, MPI_INT, sides.root(rank), sides.comm), MPI_SUCCESS);
    if (!sides.first()) {
      EXPECT_EQ(first(data, count), input(0, count));
    } else if (rank != 0) {
      EXPECT_EQ(data, room(count));
    }
  }
}

RANKS_TEST(Intercomm, GatherAndScatter, ranks(2, 4, 7)) {
  const Sides sides(rank, size);
  for (const int count : kCounts) {
    const Ints mine = input(rank, count + 1);
    Ints all = room(sides.other_size() * count), back = room(count);
    ASSERT_EQ(MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, sides.root(rank),
                         sides.comm),
              MPI_SUCCESS);
    for (int i = 0; i < sides.other_size() * count && rank == 0; ++i) {
      ASSERT_EQ(all[static_cast<std::size_t>(i)],
                value(sides.world_rank_of_other(i / count), i % count));
    }
    ASSERT_EQ(MPI_Scatter(all.data(), count, MPI_INT, back.data(), count, MPI_INT, sides.root(rank),
                          sides.comm),
              MPI_SUCCESS);
    if (!sides.first()) {
      EXPECT_EQ(first(back, count), input(rank, count));
    }
  }
}

RANKS_TEST(Intercomm, AllgatherAndAlltoall, ranks(2, 4, 7)) {
  const Sides sides(rank, size);
  for (const int count : kCounts) {
    const Ints mine = input(rank, count + 1);
    Ints all = room(sides.other_size() * count);
    ASSERT_EQ(MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, sides.comm),
              MPI_SUCCESS);
    for (int i = 0; i < sides.other_size() * count; ++i) {
      ASSERT_EQ(all[static_cast<std::size_t>(i)],
                value(sides.world_rank_of_other(i / count), i % count));
    }
    Ints out;
    for (int peer = 0; peer < sides.other_size(); ++peer) {
      for (int i = 0; i < count; ++i) out.push_back(value(rank, i) + peer);
    }
    out.push_back(0);
    ASSERT_EQ(MPI_Alltoall(out.data(), count, MPI_INT, all.data(), count, MPI_INT, sides.comm),
              MPI_SUCCESS);
    for (int i = 0; i < sides.other_size() * count; ++i) {
      ASSERT_EQ(all[static_cast<std::size_t>(i)],
                value(sides.world_rank_of_other(i / count), i % count) + sides.rank_in_side(rank));
    }
  }
}

RANKS_TEST(Intercomm, ReduceAndAllreduce, ranks(2, 4, 7)) {
  const Sides sides(rank, size);
  for (const int count : kCounts) {
    const Ints mine = input(rank, count + 1);
    Ints sum = room(count);
    ASSERT_EQ(
        MPI_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, sides.root(rank), sides.comm),
        MPI_SUCCESS);
    if (rank == 0) {
      EXPECT_EQ(first(sum, count), sides.sum_of_others(count));
    } else {
      EXPECT_EQ(sum, room(count));
    }
    ASSERT_EQ(MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, sides.comm),
              MPI_SUCCESS);
    EXPECT_EQ(first(sum, count), sides.sum_of_others(count));
  }
}

RANKS_TEST(Intercomm, ReduceScatterBlock, ranks(2, 4, 7)) {
  const Sides sides(rank, size);
  // Both sides must have as many elements in all.
  const int unit = 6 * sides.other_size(), total = unit * sides.size();
  const Ints mine = input(rank, total);
  Ints piece = room(unit);
  ASSERT_EQ(MPI_Reduce_scatter_block(mine.data(), piece.data(), unit, MPI_INT, MPI_SUM, sides.comm),
            MPI_SUCCESS);
  const Ints sum = sides.sum_of_others(total);
  const auto begin = sum.begin() + sides.rank_in_side(rank) * unit;
  EXPECT_EQ(first(piece, unit), Ints(begin, begin + unit));
}

RANKS_TEST(Intercomm, ScansAreErrors, ranks(2)) {
  const Sides sides(rank, size);
  MPI_Comm_set_errhandler(sides.comm, MPI_ERRORS_RETURN);
  int value = 0, result = 0;
  EXPECT_EQ(MPI_Scan(&value, &result, 1, MPI_INT, MPI_SUM, sides.comm), MPI_ERR_COMM);
}
