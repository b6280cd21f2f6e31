// Collectives in which something does not fit at one rank: it gets the error, and no other rank waits for it.
//
// Where a rank left the others alone these tests would not end.

#include <cstddef>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

constexpr int kSizes[] = {3, 20000};  // what is sent at once, and what waits for its receiver

class Returning {
 public:
  Returning() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~Returning() { MPI_Comm_free(&comm); }

  MPI_Comm comm = MPI_COMM_NULL;
};

// Rank 0 alone against all others, whose leader is rank 1.
class Sides {
 public:
  explicit Sides(int rank) {
    MPI_Comm mine;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 1, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_free(&mine);
  }
  ~Sides() { MPI_Comm_free(&comm); }

  MPI_Comm comm = MPI_COMM_NULL;
};

// Elements of the piece with this number, where each has `count`.
Ints piece_of(const Ints& all, int number, int count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(number) * count;
  return {begin, begin + count};
}

// A type for whose elements there is room only in the program's buffer: one int, then nothing for
// longer than any address space.
class Endless {
 public:
  explicit Endless(MPI_Aint extent = MPI_Aint{1} << 48) {
    MPI_Type_create_resized(MPI_INT, 0, extent, &type);
    MPI_Type_commit(&type);
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  }
  ~Endless() {
    MPI_Op_free(&op);
    MPI_Type_free(&type);
  }

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

bool failed_for_memory(int error) {
  return error == MPI_ERR_NO_MEM || error == MPI_ERR_OTHER;
}

// The error that rank `failing` gets, and no other rank.
int truncated_at(int failing, int rank) {
  return rank == failing ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

}  // namespace

RANKS_TEST(CollErrors, ALeaderWithTooLittleRoomStillGivesToItsSide, ranks(2, 4, 7)) {
  const Sides sides(rank);
  for (const int count : kSizes) {
    const int own = rank == 1 ? count : 2 * count;
    Ints data = rank == 0 ? input(0, own) : room(own);
    EXPECT_EQ(MPI_Bcast(data.data(), own, MPI_INT, rank == 0 ? MPI_ROOT : 0, sides.comm),
              truncated_at(1, rank));
    EXPECT_EQ(MPI_Barrier(sides.comm), MPI_SUCCESS);
  }
}

RANKS_TEST(CollErrors, SidesOfDifferentLengthsReduceToTheirEnd, ranks(2, 4, 7)) {
  const Sides sides(rank);
  for (const int count : kSizes) {
    const int own = rank == 0 ? 2 * count : count;
    const Ints mine = input(rank, own);
    Ints sum = room(own);
    EXPECT_EQ(MPI_Allreduce(mine.data(), sum.data(), own, MPI_INT, MPI_SUM, sides.comm),
              truncated_at(1, rank));

    const Ints longer = input(rank, 2 * count * size);
    Ints piece = room(2 * count * size);
    const int pieces = rank == 0 ? 2 * count * (size - 1) : count;
    EXPECT_EQ(
        MPI_Reduce_scatter_block(longer.data(), piece.data(), pieces, MPI_INT, MPI_SUM, sides.comm),
        truncated_at(1, rank));
    EXPECT_EQ(MPI_Barrier(sides.comm), MPI_SUCCESS);
  }
}

RANKS_TEST(CollErrors, ARootWithTooLittleRoomReceivesFromAll, ranks(2, 7, 40)) {
  const Returning returning;
  for (const int count : kSizes) {
    for (const int longer : {0, 1}) {
      const Ints mine = input(rank, 2 * count);
      Ints all = room(rank == 0 ? count * size : 0);
      EXPECT_EQ(MPI_Gather(mine.data(), rank == longer ? 2 * count : count, MPI_INT, all.data(),
                           count, MPI_INT, 0, returning.comm),
                truncated_at(0, rank));
      for (int i = 0; i < size && rank == 0; ++i) {
        if (i == longer) continue;
        EXPECT_EQ(piece_of(all, i, count), input(i, count));
      }
      EXPECT_EQ(MPI_Barrier(returning.comm), MPI_SUCCESS);
    }
  }
}

RANKS_TEST(CollErrors, ARootWithTooLittleRoomSendsToAll, ranks(2, 7, 40)) {
  const Returning returning;
  for (const int count : kSizes) {
    const Ints all = all_inputs(rank == 0 ? size : 0, count);
    Ints mine = room(count);
    EXPECT_EQ(MPI_Scatter(all.data(), count, MPI_INT, mine.data(), rank == 0 ? count - 1 : count,
                          MPI_INT, 0, returning.comm),
              truncated_at(0, rank));
    if (rank != 0) {
      EXPECT_EQ(first(mine, count), input(rank, count));
    }
    EXPECT_EQ(MPI_Barrier(returning.comm), MPI_SUCCESS);
  }
}

RANKS_TEST(CollErrors, WhoSendsTooMuchToAllHearsOfIt, ranks(2, 7, 40)) {
  const Returning returning;
  for (const int count : kSizes) {
    const Ints mine = input(rank, count + 1);
    Ints all = room(count * size);
    const int error = MPI_Allgather(mine.data(), rank == 1 ? count + 1 : count, MPI_INT, all.data(),
                                    count, MPI_INT, returning.comm);
    if (rank == 1) {
      EXPECT_EQ(error, MPI_ERR_TRUNCATE);
    }
    EXPECT_EQ(MPI_Barrier(returning.comm), MPI_SUCCESS);
  }
}

RANKS_TEST(CollErrors, ARankWithTooLittleRoomForItsOwnPieceExchangesTheOthers, ranks(2, 7, 40)) {
  const Returning returning;
  for (const int count : {3, 2000}) {
    Ints counts(static_cast<std::size_t>(size), count), begins;
    for (int i = 0; i < size; ++i) begins.push_back(i * count);
    Ints sent = counts;
    if (rank == 1) ++sent[1];
    const Ints mine = input(rank, count * size + 1);
    Ints all = room(count * size);
    EXPECT_EQ(MPI_Alltoallv(mine.data(), sent.data(), begins.data(), MPI_INT, all.data(),
                            counts.data(), begins.data(), MPI_INT, returning.comm),
              truncated_at(1, rank));
    for (int i = 0; i < size; ++i) {
      if (i == 1 && rank == 1) continue;
      EXPECT_EQ(piece_of(all, i, count), piece_of(input(i, count * size), rank, count));
    }
    EXPECT_EQ(MPI_Barrier(returning.comm), MPI_SUCCESS);
  }
}

// With messages the next rank alone hears of it; ranks of one host all do.
RANKS_TEST(CollErrors, AScanGoesOnBehindWhoeverGivesTooMuch, ranks(2, 7)) {
  const Returning returning;
  const auto is_expected = [&](int error) {
    return error == MPI_ERR_OTHER || error == truncated_at(1, rank);
  };
  for (const int count : kSizes) {
    const int own = rank == 0 ? count + 1 : count;
    const Ints mine = input(rank, own);
    Ints sum = room(own);
    EXPECT_TRUE(
        is_expected(MPI_Scan(mine.data(), sum.data(), own, MPI_INT, MPI_SUM, returning.comm)));
    EXPECT_TRUE(
        is_expected(MPI_Exscan(mine.data(), sum.data(), own, MPI_INT, MPI_SUM, returning.comm)));
    EXPECT_EQ(MPI_Barrier(returning.comm), MPI_SUCCESS);
  }
}

RANKS_TEST(CollErrors, WhereOneHasNoMemoryNobodyWaits, ranks(2, 4, 7)) {
  const Returning returning;
  const Endless endless;
  int mine = rank, result = -1;
  EXPECT_TRUE(failed_for_memory(
      MPI_Allreduce(&mine, &result, 1, endless.type, endless.op, returning.comm)));
  EXPECT_EQ(MPI_Barrier(returning.comm), MPI_SUCCESS);
  EXPECT_TRUE(failed_for_memory(
      MPI_Reduce_scatter_block(&mine, &result, 1, endless.type, endless.op, returning.comm)));
  EXPECT_EQ(MPI_Barrier(returning.comm), MPI_SUCCESS);
  const int error = MPI_Scan(&mine, &result, 1, endless.type, endless.op, returning.comm);
  EXPECT_TRUE(failed_for_memory(error) || (rank == 0 && error == MPI_SUCCESS));
  EXPECT_EQ(MPI_Barrier(returning.comm), MPI_SUCCESS);
}

RANKS_TEST(CollErrors, WhereALeaderHasNoMemoryBothSidesAreTold, ranks(2, 4, 7)) {
  const Sides sides(rank);
  const Endless endless;
  int mine = rank, result = -1;
  EXPECT_TRUE(
      failed_for_memory(MPI_Allreduce(&mine, &result, 1, endless.type, endless.op, sides.comm)));
  EXPECT_EQ(MPI_Barrier(sides.comm), MPI_SUCCESS);
  const int root = rank == 0 ? MPI_ROOT : 0;
  const int error = MPI_Reduce(&mine, &result, 1, endless.type, endless.op, root, sides.comm);
  if (rank <= 1) {
    EXPECT_TRUE(failed_for_memory(error));
  }
  EXPECT_EQ(MPI_Barrier(sides.comm), MPI_SUCCESS);
}

// A side of two: the leader has no memory for the result of its side, the other one none for its slice.
// All have failed, and must not take that for agreement.
RANKS_TEST(CollErrors, WhereAllOfASideHaveNoMemoryAllAreTold, ranks(4)) {
  MPI_Comm mine = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &mine);
  MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  // 512 of them are cut into two slices; all of the first kind are 2 TiB, each of the second 128 TiB.
  const Endless leaders(MPI_Aint{1} << 32), others(MPI_Aint{1} << 47);
  const Endless& own = rank < 2 ? leaders : others;
  int value = rank, result = -1;
  EXPECT_TRUE(failed_for_memory(MPI_Allreduce(&value, &result, 512, own.type, own.op, inter)));
  EXPECT_EQ(MPI_Barrier(inter), MPI_SUCCESS);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&mine);
}
