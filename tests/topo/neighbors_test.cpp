// Neighborhood collectives (MPI 5.0 §8.6). Each block that is sent names its sender and its number, so the
// receiver can tell which block it must have got.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "tests/support/ranks_test.h"
#include "tests/topo/returning.h"

namespace {

using namespace heddle::testing;
using Ints = std::vector<int>;

constexpr int kNone = -77;

// Element i of a block.
int value(int rank, int block, int i) {
  return rank * 1000003 + block * 10007 + i;
}

// Which block of which rank comes into a block of the receive buffer; rank MPI_PROC_NULL: none.
struct Origin {
  int rank;
  int block;
};

struct Case {
  MPI_Comm comm;
  std::vector<Origin> in;
  Ints out;  // the destinations
};

// What goes into and out of a rank's blocks: `count(rank, block)` elements for a block that is sent.
template <class Count>
struct Buffers {
  Ints out_counts, out_begins, in_counts, in_begins, out, in, expected;

  Buffers(const Case& topology, int rank, Count count) {
    int begin = 0;
    for (int block = 0; block < static_cast<int>(topology.out.size()); ++block) {
      out_begins.push_back(begin);
      out_counts.push_back(count(rank, block));
      for (int i = 0; i < out_counts.back(); ++i) out.push_back(value(rank, block, i));
      begin += out_counts.back();
    }
    begin = 0;
    for (const Origin& origin : topology.in) {
      const bool comes = origin.rank != MPI_PROC_NULL;
      in_begins.push_back(begin);
      in_counts.push_back(comes ? count(origin.rank, origin.block) : 3);
      for (int i = 0; i < in_counts.back(); ++i) {
        expected.push_back(comes ? value(origin.rank, origin.block, i) : kNone);
      }
      begin += in_counts.back();
    }
    in.assign(expected.size() + 1, kNone);  // never null
    expected.push_back(kNone);
    out.push_back(kNone);
  }
};

template <class T>
std::vector<T> scaled(const Ints& elements, int factor) {
  std::vector<T> all;
  for (const int element : elements) all.push_back(static_cast<T>(element) * factor);
  return all;
}

// A rank's data in blocks of one size, one for each neighbour, or untouched over a border.
template <class Value>
Ints uniform_blocks(const Case& topology, int count, Value element) {
  Ints blocks;
  for (const Origin& origin : topology.in) {
    for (int i = 0; i < count; ++i) {
      blocks.push_back(origin.rank == MPI_PROC_NULL ? kNone : element(origin, i));
    }
  }
  blocks.push_back(kNone);
  return blocks;
}

Ints one_block(int rank, int count) {
  Ints block;
  for (int i = 0; i < count; ++i) block.push_back(value(rank, 0, i));
  block.push_back(kNone);
  return block;
}

void expect_allgather(const Case& topology, int rank, int count) {
  const Ints expected = uniform_blocks(
      topology, count, [](const Origin& origin, int i) { return value(origin.rank, 0, i); });
  const Ints mine = one_block(rank, count);
  Ints in(expected.size(), kNone);
  EXPECT_EQ(
      MPI_Neighbor_allgather(mine.data(), count, MPI_INT, in.data(), count, MPI_INT, topology.comm),
      MPI_SUCCESS);
  EXPECT_EQ(in, expected);
}

void expect_allgatherv(const Case& topology, int rank, int unit) {
  const auto count = [=](int sender, int) { return sender % 3 * unit; };
  Buffers buffers(topology, rank, count);
  const Ints mine = one_block(rank, count(rank, 0));
  for (std::size_t block = 0; block < topology.in.size(); ++block) {
    const Origin& origin = topology.in[block];
    if (origin.rank == MPI_PROC_NULL) continue;
    const auto begin = buffers.expected.begin() + buffers.in_begins[block];
    for (int i = 0; i < buffers.in_counts[block]; ++i) begin[i] = value(origin.rank, 0, i);
  }
  EXPECT_EQ(MPI_Neighbor_allgatherv(mine.data(), count(rank, 0), MPI_INT, buffers.in.data(),
                                    buffers.in_counts.data(), buffers.in_begins.data(), MPI_INT,
                                    topology.comm),
            MPI_SUCCESS);
  EXPECT_EQ(buffers.in, buffers.expected);
}

void expect_alltoall(const Case& topology, int rank, int count) {
  const Buffers buffers(topology, rank, [=](int, int) { return count; });
  const Ints expected = uniform_blocks(topology, count, [](const Origin& origin, int i) {
    return value(origin.rank, origin.block, i);
  });
  Ints in(expected.size(), kNone);
  EXPECT_EQ(MPI_Neighbor_alltoall(buffers.out.data(), count, MPI_INT, in.data(), count, MPI_INT,
                                  topology.comm),
            MPI_SUCCESS);
  EXPECT_EQ(in, expected);
}

void expect_alltoallv(const Case& topology, int rank, int unit) {
  const auto count = [=](int sender, int block) { return (sender * 3 + block * 5) % 4 * unit; };
  Buffers buffers(topology, rank, count);
  const Ints untouched = buffers.in;
  EXPECT_EQ(MPI_Neighbor_alltoallv(buffers.out.data(), buffers.out_counts.data(),
                                   buffers.out_begins.data(), MPI_INT, buffers.in.data(),
                                   buffers.in_counts.data(), buffers.in_begins.data(), MPI_INT,
                                   topology.comm),
            MPI_SUCCESS);
  EXPECT_EQ(buffers.in, buffers.expected);

  const std::vector<MPI_Count> out_counts(buffers.out_counts.begin(), buffers.out_counts.end());
  const std::vector<MPI_Count> in_counts(buffers.in_counts.begin(), buffers.in_counts.end());
  const auto out_begins = scaled<MPI_Aint>(buffers.out_begins, 1);
  const auto in_begins = scaled<MPI_Aint>(buffers.in_begins, 1);
  buffers.in = untouched;
  EXPECT_EQ(MPI_Neighbor_alltoallv_c(buffers.out.data(), out_counts.data(), out_begins.data(),
                                     MPI_INT, buffers.in.data(), in_counts.data(), in_begins.data(),
                                     MPI_INT, topology.comm),
            MPI_SUCCESS);
  EXPECT_EQ(buffers.in, buffers.expected);

  // Sent as ints or as bytes, received the other way.
  const auto out_bytes = scaled<MPI_Aint>(buffers.out_begins, sizeof(int));
  const auto in_bytes = scaled<MPI_Aint>(buffers.in_begins, sizeof(int));
  const Ints byte_counts = scaled<int>(buffers.in_counts, sizeof(int));
  const std::vector<MPI_Datatype> ints(topology.out.size(), MPI_INT);
  const std::vector<MPI_Datatype> bytes(topology.in.size(), MPI_BYTE);
  buffers.in = untouched;
  EXPECT_EQ(MPI_Neighbor_alltoallw(buffers.out.data(), buffers.out_counts.data(), out_bytes.data(),
                                   ints.data(), buffers.in.data(), byte_counts.data(),
                                   in_bytes.data(), bytes.data(), topology.comm),
            MPI_SUCCESS);
  EXPECT_EQ(buffers.in, buffers.expected);
}

void expect_all(const Case& topology, const Ints& sizes = {0, 1, 70, 9000}) {
  int rank = -1;
  MPI_Comm_rank(topology.comm, &rank);
  for (const int size : sizes) {
    expect_allgather(topology, rank, size);
    expect_allgatherv(topology, rank, size);
    expect_alltoall(topology, rank, size);
    expect_alltoallv(topology, rank, size);
  }
}

// What is sent down in a dimension comes from above, and the other way round: block s goes to block s ^ 1.
Case grid_of(const Ints& sizes, const Ints& periods) {
  Case grid{};
  const int dimensions = static_cast<int>(sizes.size());
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes.data(), periods.data(), 0, &grid.comm);
  if (grid.comm == MPI_COMM_NULL) return grid;
  for (int i = 0; i < dimensions; ++i) {
    int below = -5, above = -5;
    MPI_Cart_shift(grid.comm, i, 1, &below, &above);
    grid.in.push_back({below, 2 * i + 1});
    grid.in.push_back({above, 2 * i});
    grid.out.insert(grid.out.end(), {below, above});
  }
  return grid;
}

// All ranks draw the same random edges. The k-th edge from a rank to another one is the k-th at both.
Case random_dist_graph(int rank, int size) {
  std::mt19937 random(static_cast<unsigned>(seed()));
  std::vector<Ints> out(static_cast<std::size_t>(size));
  std::vector<std::pair<int, Origin>> edges;  // destination, and where it comes from
  for (int source = 0; source < size; ++source) {
    Ints& own = out[static_cast<std::size_t>(source)];
    for (auto i = static_cast<int>(random() % 6); i > 0; --i) {
      const auto destination = static_cast<int>(random() % static_cast<unsigned>(size));
      edges.push_back({destination, {source, static_cast<int>(own.size())}});
      own.push_back(destination);
    }
  }
  // Sources in any order, edges of one source in their order.
  Ints order;
  for (int source = 0; source < size; ++source) order.push_back(source);
  std::shuffle(order.begin(), order.end(), random);
  Case graph{};
  graph.out = out[static_cast<std::size_t>(rank)];
  Ints sources;
  for (const int source : order) {
    for (const auto& [destination, origin] : edges) {
      if (destination != rank || origin.rank != source) continue;
      graph.in.push_back(origin);
      sources.push_back(source);
    }
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(graph.out.size()),
                                 graph.out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph.comm);
  return graph;
}

}  // namespace

RANKS_TEST(Neighbors, OfAGridOfAnySizes, ranks(1, 2, 4, 7, 12)) {
  for (const int dimensions : {1, 2, 3}) {
    Ints sizes(static_cast<std::size_t>(dimensions), 0);
    MPI_Dims_create(size, dimensions, sizes.data());
    const int all_periodic = (1 << dimensions) - 1;
    for (int periods = 0; periods <= all_periodic; ++periods) {
      Ints periodic;
      for (int i = 0; i < dimensions; ++i) periodic.push_back(periods >> i & 1);
      Case grid = grid_of(sizes, periodic);
      if (periods == all_periodic) {
        expect_all(grid);
      } else {
        expect_all(grid, {1, 70});
      }
      MPI_Comm_free(&grid.comm);
    }
  }
}

RANKS_TEST(Neighbors, InAGridOfOneRankAreAllOneself, ranks(1)) {
  Case grid = grid_of({1, 1, 1}, {1, 0, 1});
  expect_all(grid);
  MPI_Comm_free(&grid.comm);
}

RANKS_TEST(Neighbors, OfADistributedGraph, ranks(1, 2, 4, 7, 20)) {
  Case graph = random_dist_graph(rank, size);
  expect_all(graph);
  MPI_Comm_free(&graph.comm);
}

RANKS_TEST(Neighbors, OfAGraph, ranks(1, 2, 4, 7)) {
  // A ring in which both neighbours have two edges, and each rank one to itself.
  Case ring{};
  Ints index, edges;
  for (int i = 0; i < size; ++i) {
    const int below = (i + size - 1) % size, above = (i + 1) % size;
    edges.insert(edges.end(), {i, below, above, above, below});
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 0, &ring.comm);
  const auto of = [&](int i) {
    const auto begin = edges.begin() + std::ptrdiff_t{5} * i;
    return Ints(begin, begin + 5);
  };
  ring.out = of(rank);
  Ints seen(static_cast<std::size_t>(size), 0);
  for (const int source : ring.out) {
    // The next of the source's blocks that come here.
    const Ints theirs = of(source);
    int skip = seen[static_cast<std::size_t>(source)]++;
    for (int block = 0; block < 5; ++block) {
      if (theirs[static_cast<std::size_t>(block)] == rank && skip-- == 0) {
        ring.in.push_back({source, block});
        break;
      }
    }
  }
  expect_all(ring);
  MPI_Comm_free(&ring.comm);
}

RANKS_TEST(Neighbors, OnlyOnesOwnAreWaitedFor, ranks(4)) {
  // Two pairs: the first goes on while the second has not begun.
  int token = 0, in = kNone;
  const int other = rank ^ 1;
  MPI_Comm pairs = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &pairs);
  if (rank >= 2) {
    MPI_Recv(&token, 1, MPI_INT, rank - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &in, 1, MPI_INT, pairs);
  EXPECT_EQ(in, other);
  if (rank < 2) MPI_Send(&token, 1, MPI_INT, rank + 2, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&pairs);
}

RANKS_TEST(Neighbors, TooMuchIsToldWhereItComes, ranks(2, 4, 7)) {
  const Returning world;
  MPI_Comm ring = MPI_COMM_NULL;
  const int yes = 1;
  MPI_Cart_create(world.comm, 1, &size, &yes, 0, &ring);
  for (const int count : {3, 20000}) {
    const Ints out(static_cast<std::size_t>(2 * count + 2), rank);
    Ints in(static_cast<std::size_t>(2 * count), kNone);
    const int sent = rank == 0 ? count + 1 : count;
    const bool beside = rank == 1 || rank == size - 1;
    EXPECT_EQ(MPI_Neighbor_alltoall(out.data(), sent, MPI_INT, in.data(), count, MPI_INT, ring),
              beside ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    EXPECT_EQ(MPI_Barrier(ring), MPI_SUCCESS);
  }
  MPI_Comm_free(&ring);
}

RANKS_TEST(Neighbors, AreNeeded, ranks(1, 3)) {
  const Returning world;
  int out[4] = {}, in[4] = {};
  EXPECT_EQ(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, world.comm), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, world.comm), MPI_ERR_TOPOLOGY);
  MPI_Comm ring = MPI_COMM_NULL;
  const int yes = 1;
  MPI_Cart_create(world.comm, 1, &size, &yes, 0, &ring);
  EXPECT_EQ(MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, ring), MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Neighbor_allgather(nullptr, 1, MPI_INT, in, 1, MPI_INT, ring), MPI_ERR_BUFFER);
  const int counts[] = {1, -1}, begins[] = {0, 1};
  EXPECT_EQ(MPI_Neighbor_alltoallv(out, counts, begins, MPI_INT, in, counts, begins, MPI_INT, ring),
            MPI_ERR_COUNT);
  const MPI_Aint bytes[] = {0, 4};
  const int ones[] = {1, 1};
  const MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL};
  EXPECT_EQ(MPI_Neighbor_alltoallw(out, ones, bytes, types, in, ones, bytes, types, ring),
            MPI_ERR_TYPE);
  MPI_Comm_free(&ring);
}
