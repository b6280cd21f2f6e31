// Graphs of which each rank gives a part (MPI 5.0 §8.5.4). All ranks draw the same edges, so each knows
// what it must be told about its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/ranks_test.h"
#include "tests/topo/returning.h"

namespace {

using namespace heddle::testing;
using Ints = std::vector<int>;

struct Edge {
  int giver;
  int source;
  int destination;
  int weight;
};

std::vector<Edge> random_edges(int ranks) {
  std::mt19937 random(static_cast<unsigned>(seed()));
  const auto draw = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  std::vector<Edge> edges;
  for (int i = draw(5 * ranks); i > 0; --i) {
    edges.push_back({draw(ranks), draw(ranks), draw(ranks), draw(100)});
  }
  return edges;
}

// (neighbour, weight) of a rank's edges, sorted.
using Ends = std::vector<std::pair<int, int>>;

Ends expected_ends(const std::vector<Edge>& edges, int rank, bool in, bool weighted) {
  Ends ends;
  for (const Edge& edge : edges) {
    if ((in ? edge.destination : edge.source) != rank) continue;
    ends.emplace_back(in ? edge.source : edge.destination, weighted ? edge.weight : -1);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

struct Told {
  int indegree = -1, outdegree = -1, weighted = -1;
  Ints sources, source_weights, destinations, destination_weights;

  explicit Told(MPI_Comm graph) {
    MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &weighted);
    for (Ints* one : {&sources, &source_weights})
      one->assign(static_cast<std::size_t>(indegree) + 1, -1);
    for (Ints* one : {&destinations, &destination_weights}) {
      one->assign(static_cast<std::size_t>(outdegree) + 1, -1);
    }
    EXPECT_EQ(MPI_Dist_graph_neighbors(graph, indegree, sources.data(), source_weights.data(),
                                       outdegree, destinations.data(), destination_weights.data()),
              MPI_SUCCESS);
    for (Ints* one : {&sources, &source_weights, &destinations, &destination_weights}) {
      EXPECT_EQ(one->back(), -1);
      one->pop_back();
    }
  }
  static Ends sorted(const Ints& ranks, const Ints& weights) {
    Ends ends;
    for (std::size_t i = 0; i < ranks.size(); ++i) ends.emplace_back(ranks[i], weights[i]);
    std::sort(ends.begin(), ends.end());
    return ends;
  }
};

}  // namespace

RANKS_TEST(DistGraph, EachRankLearnsOfItsEdgesWhoeverGaveThem, ranks(1, 2, 4, 7, 20)) {
  const std::vector<Edge> edges = random_edges(size);
  for (const bool weighted : {false, true}) {
    // Consecutive edges of one source are given as one, every other time.
    Ints sources, degrees, destinations, weights;
    for (const Edge& edge : edges) {
      if (edge.giver != rank) continue;
      if (sources.empty() || sources.back() != edge.source || weights.size() % 2 == 0) {
        sources.push_back(edge.source);
        degrees.push_back(0);
      }
      ++degrees.back();
      destinations.push_back(edge.destination);
      weights.push_back(edge.weight);
    }
    const int* const given = !weighted         ? MPI_UNWEIGHTED
                             : weights.empty() ? MPI_WEIGHTS_EMPTY
                                               : weights.data();
    MPI_Comm graph = MPI_COMM_NULL, copy = MPI_COMM_NULL;
    ASSERT_EQ(
        MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                              degrees.data(), destinations.data(), given, MPI_INFO_NULL, 1, &graph),
        MPI_SUCCESS);
    MPI_Comm_dup(graph, &copy);
    MPI_Comm_free(&graph);
    EXPECT_EQ(kind_of(copy), MPI_DIST_GRAPH);
    const Told told(copy);
    EXPECT_EQ(told.weighted, weighted);
    EXPECT_EQ(Told::sorted(told.sources, told.source_weights),
              expected_ends(edges, rank, true, weighted));
    EXPECT_EQ(Told::sorted(told.destinations, told.destination_weights),
              expected_ends(edges, rank, false, weighted));
    MPI_Comm_free(&copy);
  }
}

RANKS_TEST(DistGraph, BothEndsHaveSeveralEdgesInTheSameOrder, ranks(1, 2, 4, 7)) {
  // Every rank gives edges between every two ranks; the weights tell them apart.
  Ints sources, degrees, destinations, weights;
  for (int source = 0; source < size; ++source) {
    sources.push_back(source);
    degrees.push_back(2 * size);
    for (int i = 0; i < 2 * size; ++i) {
      destinations.push_back(i % size);
      weights.push_back(rank * 2 + i / size);
    }
  }
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create(MPI_COMM_WORLD, size, sources.data(), degrees.data(), destinations.data(),
                        weights.data(), MPI_INFO_NULL, 0, &graph);
  const Told told(graph);
  Ints came(told.source_weights.size());
  const Ints& sent = told.destination_weights;
  MPI_Neighbor_alltoall(sent.data(), 1, MPI_INT, came.data(), 1, MPI_INT, graph);
  EXPECT_EQ(came, told.source_weights);
  MPI_Comm_free(&graph);
}

RANKS_TEST(DistGraph, AdjacentKeepsTheOrder, ranks(1, 2, 4, 7)) {
  // From each rank, backwards, to the next one, twice.
  Ints sources, source_weights;
  for (int other = size; other-- > 0;) {
    if ((other + 1) % size != rank) continue;
    sources.insert(sources.end(), {other, other});
    source_weights.insert(source_weights.end(), {other, other + 1});
  }
  const int next = (rank + 1) % size;
  const Ints destinations = {next, next}, destination_weights = {rank, rank + 1};
  MPI_Comm graph = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources.data(), source_weights.data(),
                                           2, destinations.data(), destination_weights.data(),
                                           MPI_INFO_NULL, 0, &graph),
            MPI_SUCCESS);
  const Told told(graph);
  EXPECT_TRUE(told.weighted);
  EXPECT_EQ(told.sources, sources);
  EXPECT_EQ(told.source_weights, source_weights);
  EXPECT_EQ(told.destinations, destinations);
  EXPECT_EQ(told.destination_weights, destination_weights);

  Ints one = {-1, -1}, untouched = {-1, -1};
  EXPECT_EQ(MPI_Dist_graph_neighbors(graph, 1, one.data(), MPI_UNWEIGHTED, 0, untouched.data(),
                                     MPI_UNWEIGHTED),
            MPI_SUCCESS);
  EXPECT_EQ(one, (Ints{sources[0], -1})) << "as many as there is room for";
  EXPECT_EQ(untouched, (Ints{-1, -1}));
  MPI_Comm_free(&graph);
}

RANKS_TEST(DistGraph, ARankMayHaveNoEdges, ranks(1, 3)) {
  MPI_Comm graph = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_WEIGHTS_EMPTY, 0,
                                           nullptr, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph),
            MPI_SUCCESS);
  const Told told(graph);
  EXPECT_TRUE(told.weighted);
  EXPECT_EQ(told.indegree + told.outdegree, 0);
  EXPECT_EQ(MPI_Neighbor_alltoallv(nullptr, nullptr, nullptr, MPI_INT, nullptr, nullptr, nullptr,
                                   MPI_INT, graph),
            MPI_SUCCESS);
  MPI_Comm_free(&graph);
}

RANKS_TEST(DistGraph, RefusesWrongEdges, ranks(1, 3)) {
  const Returning world;
  MPI_Comm graph = MPI_COMM_WORLD;
  const int zero = 0, one = 1, outside = size, negative = -1;
  const auto create = [&](const int* source, const int* degree, const int* destination,
                          const int* weight) {
    return MPI_Dist_graph_create(world.comm, 1, source, degree, destination, weight, MPI_INFO_NULL,
                                 0, &graph);
  };
  EXPECT_EQ(create(&outside, &one, &zero, MPI_UNWEIGHTED), MPI_ERR_RANK);
  EXPECT_EQ(create(&zero, &one, &negative, MPI_UNWEIGHTED), MPI_ERR_RANK);
  EXPECT_EQ(create(&zero, &negative, &zero, MPI_UNWEIGHTED), MPI_ERR_ARG);
  EXPECT_EQ(create(&zero, &one, nullptr, MPI_UNWEIGHTED), MPI_ERR_ARG);
  EXPECT_EQ(create(&zero, &one, &zero, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(create(&zero, &one, &zero, MPI_WEIGHTS_EMPTY), MPI_ERR_ARG);
  EXPECT_EQ(create(&zero, &one, &zero, &negative), MPI_ERR_ARG);

  const auto create_adjacent = [&](const int* source, const int* in, const int* destination,
                                   const int* out) {
    return MPI_Dist_graph_create_adjacent(world.comm, 1, source, in, 1, destination, out,
                                          MPI_INFO_NULL, 0, &graph);
  };
  EXPECT_EQ(create_adjacent(&outside, &one, &zero, &one), MPI_ERR_RANK);
  EXPECT_EQ(create_adjacent(&zero, &one, &negative, &one), MPI_ERR_RANK);
  EXPECT_EQ(create_adjacent(&zero, &negative, &zero, &one), MPI_ERR_ARG);
  EXPECT_EQ(create_adjacent(&zero, &one, &zero, MPI_UNWEIGHTED), MPI_ERR_ARG);
  EXPECT_EQ(create_adjacent(nullptr, &one, &zero, &one), MPI_ERR_ARG);
  EXPECT_EQ(graph, MPI_COMM_WORLD) << "outputs are set only on success";
}
