// Graphs that each rank gives as a whole (MPI 5.0 §8.5.3).

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/ranks_test.h"
#include "tests/topo/returning.h"

namespace {

using namespace heddle::testing;
using Ints = std::vector<int>;

// A star: rank 0 in the middle, twice the neighbour of rank 1.
struct Star {
  Ints index, edges;

  explicit Star(int ranks) {
    for (int other = 1; other < ranks; ++other) edges.push_back(other);
    if (ranks > 1) edges.push_back(1);
    index.push_back(static_cast<int>(edges.size()));
    for (int other = 1; other < ranks; ++other) {
      edges.insert(edges.end(), other == 1 ? 2 : 1, 0);
      index.push_back(static_cast<int>(edges.size()));
    }
  }
  Ints neighbors_of(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    const int begin = rank == 0 ? 0 : index[at - 1];
    return {edges.begin() + begin, edges.begin() + index[at]};
  }
};

MPI_Comm graph_of(MPI_Comm parent, int ranks, const Star& star) {
  MPI_Comm graph = MPI_COMM_WORLD;
  EXPECT_EQ(MPI_Graph_create(parent, ranks, star.index.data(), star.edges.data(), 0, &graph),
            MPI_SUCCESS);
  return graph;
}

}  // namespace

RANKS_TEST(Graph, TellsWhatItWasMadeOf, ranks(1, 2, 5, 7)) {
  const Star star(size);
  MPI_Comm graph = graph_of(MPI_COMM_WORLD, size, star), copy = MPI_COMM_NULL;
  MPI_Comm_dup(graph, &copy);
  MPI_Comm_free(&graph);
  EXPECT_EQ(kind_of(copy), MPI_GRAPH);
  int ranks = -1, edges = -1;
  MPI_Graphdims_get(copy, &ranks, &edges);
  EXPECT_EQ(ranks, size);
  EXPECT_EQ(edges, static_cast<int>(star.edges.size()));
  Ints got_index(star.index.size()), got_edges(star.edges.size() + 1);
  MPI_Graph_get(copy, ranks, edges, got_index.data(), got_edges.data());
  got_edges.pop_back();
  EXPECT_EQ(got_index, star.index);
  EXPECT_EQ(got_edges, star.edges);
  for (int other = 0; other < size; ++other) {
    int degree = -1;
    MPI_Graph_neighbors_count(copy, other, &degree);
    Ints neighbors(static_cast<std::size_t>(degree) + 1);
    MPI_Graph_neighbors(copy, other, degree, neighbors.data());
    neighbors.pop_back();
    EXPECT_EQ(neighbors, star.neighbors_of(other));
  }
  MPI_Comm_free(&copy);
}

RANKS_TEST(Graph, ASmallerOneHasTheFirstRanks, ranks(1, 4, 7)) {
  const int members = (size + 1) / 2;
  const Star star(members);
  int place = -1, none = -1;
  MPI_Graph_map(MPI_COMM_WORLD, members, star.index.data(), star.edges.data(), &place);
  EXPECT_EQ(place, rank < members ? rank : MPI_UNDEFINED);
  MPI_Comm graph = graph_of(MPI_COMM_WORLD, members, star);
  EXPECT_EQ(graph == MPI_COMM_NULL, rank >= members);
  if (graph != MPI_COMM_NULL) MPI_Comm_free(&graph);
  EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 0, &none, &none, 1, &graph), MPI_SUCCESS);
  EXPECT_EQ(graph, MPI_COMM_NULL);
}

RANKS_TEST(Graph, RefusesWhatIsNoGraph, ranks(1, 3)) {
  const Returning world;
  const Star star(size), larger(size + 1);
  MPI_Comm graph = MPI_COMM_WORLD;
  EXPECT_EQ(
      MPI_Graph_create(world.comm, size + 1, larger.index.data(), larger.edges.data(), 0, &graph),
      MPI_ERR_TOPOLOGY);
  const int negative = -1, one = 1, outside = size;
  EXPECT_EQ(MPI_Graph_create(world.comm, 1, &negative, &one, 0, &graph), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(MPI_Graph_create(world.comm, 1, &one, &outside, 0, &graph), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(MPI_Graph_create(world.comm, 1, &one, nullptr, 0, &graph), MPI_ERR_ARG);
  int place = -1;
  EXPECT_EQ(MPI_Graph_map(world.comm, 1, &one, &negative, &place), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(graph, MPI_COMM_WORLD) << "outputs are set only on success";

  graph = graph_of(world.comm, size, star);
  Ints room(star.edges.size() + 1);
  EXPECT_EQ(MPI_Graph_get(graph, 0, 99, room.data(), room.data()), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Graph_neighbors_count(graph, size, room.data()), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Cartdim_get(graph, room.data()), MPI_ERR_TOPOLOGY);
  if (size > 1) {
    EXPECT_EQ(MPI_Graph_neighbors(graph, 0, 0, room.data()), MPI_ERR_ARG);
  }
  MPI_Comm_free(&graph);
}
