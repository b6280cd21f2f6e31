// Null buffers of collectives with a piece for each rank (MPI 5.0 §6.5 to §6.10): an error where
// data is missing, and right where there is none or displacements are absolute addresses.

#include <cstdint>
#include <vector>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

MPI_Aint address_of(const void* data) {
  return static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(data));
}

}  // namespace

// All ranks make the same mistake, so none waits for another one.
RANKS_TEST(NullBuffers, AreAnErrorWhereAnyRankHasAPiece, ranks(1, 2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const auto n = static_cast<std::size_t>(size);
  Ints counts(n, 0), displacements(n, 0), zeros(n, 0), data(n, 1);
  counts.back() = 1;
  displacements.back() = size - 1;  // not at the null address itself
  std::vector<MPI_Datatype> types(n, MPI_INT);
  int* const none = nullptr;
  EXPECT_EQ(MPI_Alltoallv(none, counts.data(), displacements.data(), MPI_INT, data.data(),
                          zeros.data(), zeros.data(), MPI_INT, MPI_COMM_WORLD),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Alltoallv(data.data(), zeros.data(), zeros.data(), MPI_INT, none, counts.data(),
                          displacements.data(), MPI_INT, MPI_COMM_WORLD),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Alltoallw(data.data(), zeros.data(), zeros.data(), types.data(), none,
                          counts.data(), displacements.data(), types.data(), MPI_COMM_WORLD),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Allgatherv(data.data(), 0, MPI_INT, none, counts.data(), displacements.data(),
                           MPI_INT, MPI_COMM_WORLD),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Reduce_scatter(none, data.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Reduce_scatter(MPI_IN_PLACE, none, counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD),
            MPI_ERR_BUFFER);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// The buffer that each rank gets its piece in means something at all of them.
RANKS_TEST(NullBuffers, OfAScatterAreAnErrorAtEachRank, ranks(1, 2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Ints data(static_cast<std::size_t>(size), 1);
  Ints places(static_cast<std::size_t>(size), 0);
  int* const none = nullptr;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_EQ(MPI_Scatterv_init(data.data(), data.data(), places.data(), MPI_INT, none, 1, MPI_INT, 0,
                              MPI_COMM_WORLD, MPI_INFO_NULL, &request),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Iscatterv(data.data(), data.data(), places.data(), MPI_INT, none, 1, MPI_INT, 0,
                          MPI_COMM_WORLD, &request),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Scatterv(data.data(), data.data(), places.data(), MPI_INT, none, 1, MPI_INT, 0,
                         MPI_COMM_WORLD),
            MPI_ERR_BUFFER);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

RANKS_TEST(NullBuffers, AreRightWhereNoRankHasAPiece, ranks(1, 2, 4)) {
  const Ints zeros(static_cast<std::size_t>(size), 0);
  EXPECT_EQ(MPI_Alltoallv(nullptr, zeros.data(), zeros.data(), MPI_INT, nullptr, zeros.data(),
                          zeros.data(), MPI_INT, MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Gatherv(nullptr, 0, MPI_INT, nullptr, zeros.data(), zeros.data(), MPI_INT, 0,
                        MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Reduce_scatter(nullptr, nullptr, zeros.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD),
            MPI_SUCCESS);
}

RANKS_TEST(NullBuffers, AreRightAtARankThatGetsNothing, ranks(2, 4)) {
  Ints counts(static_cast<std::size_t>(size), 1);
  counts.back() = 0;
  const Ints mine(static_cast<std::size_t>(size), rank);
  int sum = -1;
  EXPECT_EQ(MPI_Reduce_scatter(mine.data(), rank == size - 1 ? nullptr : &sum, counts.data(),
                               MPI_INT, MPI_SUM, MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(sum, rank == size - 1 ? -1 : size * (size - 1) / 2);
}

RANKS_TEST(NullBuffers, AreRightWithAbsoluteAddresses, ranks(1, 2, 4)) {
  const auto n = static_cast<std::size_t>(size);
  const Ints out = input(rank, size);
  Ints in(n, -1);
  const std::vector<MPI_Count> counts(n, 1);
  const std::vector<MPI_Datatype> types(n, MPI_INT);
  std::vector<MPI_Aint> from(n), to(n);
  for (std::size_t i = 0; i < n; ++i) {
    from[i] = address_of(&out[i]);
    to[i] = address_of(&in[i]);
  }
  ASSERT_EQ(MPI_Alltoallw_c(MPI_BOTTOM, counts.data(), from.data(), types.data(), MPI_BOTTOM,
                            counts.data(), to.data(), types.data(), MPI_COMM_WORLD),
            MPI_SUCCESS);
  for (int i = 0; i < size; ++i)
    EXPECT_EQ(in[static_cast<std::size_t>(i)], input(i, size)[static_cast<std::size_t>(rank)]);
}
