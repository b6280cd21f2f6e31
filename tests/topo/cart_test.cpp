// Grids (MPI 5.0 §8.5). How ranks are numbered is tested beside src/mpi/topo/cartesian.h; here the calls
// are compared with each other, and with messages.

#include <gtest/gtest.h>

#include <climits>
#include <vector>

#include "tests/support/ranks_test.h"
#include "tests/topo/returning.h"

namespace {

using namespace heddle::testing;
using Ints = std::vector<int>;

// A grid of two dimensions, the first periodic, over all ranks or all but some.
Ints sizes_for(int ranks) {
  Ints sizes(2, 0);
  MPI_Dims_create(ranks, 2, sizes.data());
  return sizes;
}

MPI_Comm grid_of(MPI_Comm parent, const Ints& sizes, const Ints& periods) {
  MPI_Comm grid = MPI_COMM_WORLD;
  EXPECT_EQ(MPI_Cart_create(parent, static_cast<int>(sizes.size()), sizes.data(), periods.data(), 1,
                            &grid),
            MPI_SUCCESS);
  return grid;
}

// What the other rank says of itself, where each tells the rank `to` and hears from the rank `from`.
int heard(MPI_Comm comm, int from, int to) {
  int rank = -1, got = MPI_PROC_NULL;
  MPI_Comm_rank(comm, &rank);
  MPI_Sendrecv(&rank, 1, MPI_INT, to, 3, &got, 1, MPI_INT, from, 3, comm, MPI_STATUS_IGNORE);
  return got;
}

}  // namespace

RANKS_TEST(Cart, TellsWhatItWasMadeOf, ranks(1, 4, 6, 7)) {
  const Ints sizes = sizes_for(size), periods = {1, 0};
  MPI_Comm grid = grid_of(MPI_COMM_WORLD, sizes, periods);
  EXPECT_EQ(kind_of(grid), MPI_CART);
  EXPECT_EQ(kind_of(MPI_COMM_WORLD), MPI_UNDEFINED);
  int dimensions = -1, here = -1;
  MPI_Cartdim_get(grid, &dimensions);
  EXPECT_EQ(dimensions, 2);
  Ints got_sizes(3, -1), got_periods(3, -1), coordinates(3, -1), by_rank(2, -1);
  MPI_Cart_get(grid, 3, got_sizes.data(), got_periods.data(), coordinates.data());
  EXPECT_EQ(got_sizes, (Ints{sizes[0], sizes[1], -1}));
  EXPECT_EQ(got_periods, (Ints{1, 0, -1}));
  EXPECT_EQ(coordinates, (Ints{rank / sizes[1], rank % sizes[1], -1}));
  for (int other = 0; other < size; ++other) {
    MPI_Cart_coords(grid, other, 2, by_rank.data());
    MPI_Cart_rank(grid, by_rank.data(), &here);
    EXPECT_EQ(here, other);
    by_rank[0] -= 5 * sizes[0];
    MPI_Cart_rank(grid, by_rank.data(), &here);
    EXPECT_EQ(here, other) << "the first dimension is periodic";
  }
  MPI_Comm_free(&grid);
}

RANKS_TEST(Cart, ShiftsMeet, ranks(1, 2, 4, 7, 12)) {
  const Ints sizes = sizes_for(size);
  MPI_Comm grid = grid_of(MPI_COMM_WORLD, sizes, {1, 0});
  for (int dimension = 0; dimension < 2; ++dimension) {
    for (const int steps : {-3, -1, 0, 1, 2}) {
      int source = -5, destination = -5;
      MPI_Cart_shift(grid, dimension, steps, &source, &destination);
      EXPECT_EQ(heard(grid, source, destination), source);
    }
  }
  int source = -5, destination = -5;
  MPI_Cart_shift(grid, 1, 1, &source, &destination);
  EXPECT_EQ(source, rank % sizes[1] == 0 ? MPI_PROC_NULL : rank - 1);
  EXPECT_EQ(destination, (rank + 1) % sizes[1] == 0 ? MPI_PROC_NULL : rank + 1);
  MPI_Cart_shift(grid, 1, INT_MIN, &source, &destination);
  EXPECT_EQ(source, MPI_PROC_NULL);
  EXPECT_EQ(destination, MPI_PROC_NULL);
  MPI_Comm_free(&grid);
}

RANKS_TEST(Cart, ASmallerGridHasTheFirstRanks, ranks(2, 5, 7)) {
  MPI_Comm grid = grid_of(MPI_COMM_WORLD, {size / 2}, {1});
  int place = -1;
  const int one = size / 2, no = 0;
  MPI_Cart_map(MPI_COMM_WORLD, 1, &one, &no, &place);
  if (rank >= size / 2) {
    EXPECT_EQ(grid, MPI_COMM_NULL);
    EXPECT_EQ(place, MPI_UNDEFINED);
    return;
  }
  int own = -1, members = -1;
  MPI_Comm_rank(grid, &own);
  MPI_Comm_size(grid, &members);
  EXPECT_EQ(members, size / 2);
  EXPECT_EQ(own, rank);
  EXPECT_EQ(place, rank);
  MPI_Comm_free(&grid);
}

RANKS_TEST(Cart, OfNoDimensionsHasOneRank, ranks(1, 3)) {
  MPI_Comm point = MPI_COMM_WORLD;
  ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &point), MPI_SUCCESS);
  EXPECT_EQ(point == MPI_COMM_NULL, rank != 0);
  if (rank != 0) return;
  int dimensions = -1, here = -1;
  EXPECT_EQ(kind_of(point), MPI_CART);
  MPI_Cartdim_get(point, &dimensions);
  EXPECT_EQ(dimensions, 0);
  EXPECT_EQ(MPI_Cart_rank(point, nullptr, &here), MPI_SUCCESS);
  EXPECT_EQ(here, 0);
  EXPECT_EQ(MPI_Cart_get(point, 0, nullptr, nullptr, nullptr), MPI_SUCCESS);
  EXPECT_EQ(MPI_Neighbor_allgather(nullptr, 1, MPI_INT, nullptr, 1, MPI_INT, point), MPI_SUCCESS);
  MPI_Comm part = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Cart_sub(point, nullptr, &part), MPI_SUCCESS);
  EXPECT_EQ(kind_of(part), MPI_CART);
  MPI_Comm_free(&part);
  MPI_Comm_free(&point);
}

RANKS_TEST(Cart, PartsAreGridsOfTheKeptDimensions, ranks(1, 4, 6, 12)) {
  const Ints sizes = sizes_for(size);
  MPI_Comm grid = grid_of(MPI_COMM_WORLD, {1, sizes[0], sizes[1]}, {0, 1, 0});
  for (int kept = 0; kept < 8; ++kept) {
    const Ints keep = {kept & 1, kept >> 1 & 1, kept >> 2};
    MPI_Comm part = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Cart_sub(grid, keep.data(), &part), MPI_SUCCESS);
    const int row = keep[1] ? rank / sizes[1] : 0, column = keep[2] ? rank % sizes[1] : 0;
    const int rows = keep[1] ? sizes[0] : 1, columns = keep[2] ? sizes[1] : 1;
    int own = -1, members = -1, dimensions = -1;
    MPI_Comm_rank(part, &own);
    MPI_Comm_size(part, &members);
    MPI_Cartdim_get(part, &dimensions);
    EXPECT_EQ(own, row * columns + column);
    EXPECT_EQ(members, rows * columns);
    EXPECT_EQ(dimensions, keep[0] + keep[1] + keep[2]);
    // The world ranks of the part have the same dropped coordinates.
    Ints worlds(static_cast<std::size_t>(members));
    MPI_Allgather(&rank, 1, MPI_INT, worlds.data(), 1, MPI_INT, part);
    for (const int other : worlds) {
      EXPECT_TRUE(keep[1] || other / sizes[1] == rank / sizes[1]);
      EXPECT_TRUE(keep[2] || other % sizes[1] == rank % sizes[1]);
    }
    MPI_Comm_free(&part);
  }
  MPI_Comm_free(&grid);
}

RANKS_TEST(Cart, DuplicatesHaveTheGridAndPartsDoNot, ranks(1, 4)) {
  MPI_Comm grid = grid_of(MPI_COMM_WORLD, {size}, {1}), copy = MPI_COMM_NULL,
           hinted = MPI_COMM_NULL, part = MPI_COMM_NULL;
  MPI_Comm_dup(grid, &copy);
  MPI_Comm_dup_with_info(grid, MPI_INFO_NULL, &hinted);
  MPI_Comm_split(grid, 0, 0, &part);
  MPI_Comm_free(&grid);
  EXPECT_EQ(kind_of(copy), MPI_CART);
  EXPECT_EQ(kind_of(hinted), MPI_CART);
  EXPECT_EQ(kind_of(part), MPI_UNDEFINED);
  int source = -5, destination = -5;
  MPI_Cart_shift(copy, 0, 1, &source, &destination);
  EXPECT_EQ(destination, (rank + 1) % size);
  for (MPI_Comm* one : {&copy, &hinted, &part}) MPI_Comm_free(one);
}

RANKS_TEST(Cart, RefusesWhatIsNoGrid, ranks(1, 4)) {
  const Returning world;
  MPI_Comm grid = MPI_COMM_WORLD;
  const Ints ones = {1, 1}, none = {1, 0}, large = {size, 2}, huge = {INT_MAX, INT_MAX};
  EXPECT_EQ(MPI_Cart_create(world.comm, 2, none.data(), ones.data(), 0, &grid), MPI_ERR_DIMS);
  EXPECT_EQ(MPI_Cart_create(world.comm, 2, large.data(), ones.data(), 0, &grid), MPI_ERR_DIMS);
  EXPECT_EQ(MPI_Cart_create(world.comm, 2, huge.data(), ones.data(), 0, &grid), MPI_ERR_DIMS);
  EXPECT_EQ(MPI_Cart_create(world.comm, -1, ones.data(), ones.data(), 0, &grid), MPI_ERR_ARG);
  EXPECT_EQ(grid, MPI_COMM_WORLD) << "outputs are set only on success";
  int number = -1;
  EXPECT_EQ(MPI_Cart_map(world.comm, 2, large.data(), ones.data(), &number), MPI_ERR_DIMS);
  EXPECT_EQ(MPI_Cartdim_get(world.comm, &number), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(MPI_Cart_rank(world.comm, ones.data(), &number), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(MPI_Cart_sub(world.comm, ones.data(), &grid), MPI_ERR_TOPOLOGY);

  MPI_Comm line = grid_of(world.comm, {size}, {0});
  const int outside = size;
  int source = -5, destination = -5;
  EXPECT_EQ(MPI_Cart_rank(line, &outside, &number), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Cart_rank(line, nullptr, &number), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Cart_sub(line, nullptr, &grid), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Cart_coords(line, size, 1, &number), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Cart_coords(line, 0, 0, &number), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Cart_get(line, 0, &number, &number, &number), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Cart_shift(line, 1, 1, &source, &destination), MPI_ERR_DIMS);
  EXPECT_EQ(MPI_Cart_shift(line, -1, 1, &source, &destination), MPI_ERR_DIMS);
  EXPECT_EQ(MPI_Graphdims_get(line, &number, &number), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(MPI_Dist_graph_neighbors_count(line, &number, &number, &number), MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&line);
}

RANKS_TEST(Cart, RefusesAnIntercommunicator, ranks(2, 4)) {
  MPI_Comm side = MPI_COMM_NULL, inter = MPI_COMM_NULL, grid = MPI_COMM_WORLD;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 1, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  const int one = 1;
  EXPECT_EQ(MPI_Cart_create(inter, 1, &one, &one, 0, &grid), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Graph_create(inter, 0, nullptr, nullptr, 0, &grid), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Dist_graph_create(inter, 0, nullptr, nullptr, nullptr, MPI_UNWEIGHTED,
                                  MPI_INFO_NULL, 0, &grid),
            MPI_ERR_COMM);
  EXPECT_EQ(MPI_Dist_graph_create_adjacent(inter, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr,
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &grid),
            MPI_ERR_COMM);
  EXPECT_EQ(kind_of(inter), MPI_UNDEFINED);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&side);
}
