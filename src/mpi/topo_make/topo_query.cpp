#include "mpi/topo_make/topo_query.h"

#include <algorithm>

#include "mpi/topo/of_comm.h"

namespace heddle::topo_make {

using topo::Cartesian;
using topo::DistGraph;
using topo::Graph;

namespace {

template <class Shape>
const Shape* shape_of(const Comm& comm) noexcept {
  const topo::Topology* const topology = topo::topology_of(comm);
  return topology != nullptr ? topology->as<Shape>() : nullptr;
}

template <class Shape>
Error find(const Comm& comm, const char* what, const Shape** out) {
  *out = shape_of<Shape>(comm);
  if (*out != nullptr) return {};
  return Error::make(MPI_ERR_TOPOLOGY, "argument comm is %s, which has no %s",
                     describe(comm).c_str(), what);
}

Error find_graph(const Comm& comm, const Graph** out) {
  return find(comm, "graph topology", out);
}
Error find_dist_graph(const Comm& comm, const DistGraph** out) {
  return find(comm, "distributed graph topology", out);
}

Error need_room(const char* name, int room, int needed) {
  if (room >= needed) return {};
  return Error::make(MPI_ERR_ARG, "argument %s is %d, but %d elements are to be returned", name,
                     room, needed);
}

void copy_coordinates(const Cartesian& grid, int rank, int* coordinates) noexcept {
  for (int i = 0; i < grid.dimensions(); ++i) coordinates[i] = grid.coordinate(rank, i);
}

// Ranks of a graph are the first ones of the communicator that was its parent: all of this one.
Error find_neighbors(const Comm& comm, int rank, std::span<const int>* out) {
  const Graph* graph = nullptr;
  if (Error e = find_graph(comm, &graph)) return e;
  *out = graph->neighbors(rank);
  return {};
}

Error copy_edges(const DistGraph::Edges& edges, bool weighted, const char* name,
                 const EdgesRoom& to) {
  const auto count = std::min(static_cast<std::size_t>(to.size), edges.ranks.size());
  const bool with_weights = weighted && to.weights != MPI_UNWEIGHTED && count > 0;
  if (with_weights && (to.weights == nullptr || to.weights == MPI_WEIGHTS_EMPTY)) {
    return Error::make(MPI_ERR_ARG, "argument %s is %s, but there are %zu weights", name,
                       to.weights == nullptr ? "a null pointer" : "MPI_WEIGHTS_EMPTY", count);
  }
  std::copy_n(edges.ranks.begin(), count, to.ranks);
  if (with_weights) std::copy_n(edges.weights.begin(), count, to.weights);
  return {};
}

}  // namespace

Error get_topology_kind(const Comm& comm, int* kind) {
  const topo::Topology* const topology = topo::topology_of(comm);
  *kind = topology != nullptr ? topology->kind() : MPI_UNDEFINED;
  return {};
}

Error get_cart_dimensions(const Comm& comm, int* dimensions) {
  const Cartesian* grid = nullptr;
  if (Error e = find_cart(comm, &grid)) return e;
  *dimensions = grid->dimensions();
  return {};
}

Error get_cart(const Comm& comm, int room, int* sizes, int* periods, int* coordinates) {
  const Cartesian* grid = nullptr;
  if (Error e = find_cart(comm, &grid)) return e;
  if (Error e = need_room("maxdims", room, grid->dimensions())) return e;
  for (int i = 0; i < grid->dimensions(); ++i) {
    sizes[i] = grid->size(i);
    periods[i] = grid->periodic(i);
  }
  copy_coordinates(*grid, comm.rank(), coordinates);
  return {};
}

Error get_cart_rank(const Comm& comm, const int* coordinates, int* rank) {
  const Cartesian* grid = nullptr;
  if (Error e = find_cart(comm, &grid)) return e;
  return grid->rank_at(coordinates, rank);
}

Error get_cart_coordinates(const Comm& comm, int rank, int room, int* coordinates) {
  const Cartesian* grid = nullptr;
  if (Error e = find_cart(comm, &grid)) return e;
  if (Error e = need_room("maxdims", room, grid->dimensions())) return e;
  copy_coordinates(*grid, rank, coordinates);
  return {};
}

Error get_cart_shift(const Comm& comm, int dimension, int steps, int* source, int* destination) {
  const Cartesian* grid = nullptr;
  if (Error e = find_cart(comm, &grid)) return e;
  if (dimension < 0 || dimension >= grid->dimensions()) {
    return Error::make(MPI_ERR_DIMS, "argument direction is %d, but the grid has %d dimensions",
                       dimension, grid->dimensions());
  }
  *source = grid->neighbor(comm.rank(), dimension, -std::int64_t{steps});
  *destination = grid->neighbor(comm.rank(), dimension, steps);
  return {};
}

Error get_graph_dimensions(const Comm& comm, int* ranks, int* edges) {
  const Graph* graph = nullptr;
  if (Error e = find_graph(comm, &graph)) return e;
  *ranks = graph->ranks();
  *edges = static_cast<int>(graph->edges().size());
  return {};
}

Error get_graph(const Comm& comm, int index_room, int edges_room, int* index, int* edges) {
  const Graph* graph = nullptr;
  if (Error e = find_graph(comm, &graph)) return e;
  if (Error e = need_room("maxindex", index_room, graph->ranks())) return e;
  if (Error e = need_room("maxedges", edges_room, static_cast<int>(graph->edges().size())))
    return e;
  std::copy(graph->index().begin(), graph->index().end(), index);
  std::copy(graph->edges().begin(), graph->edges().end(), edges);
  return {};
}

Error get_graph_degree(const Comm& comm, int rank, int* degree) {
  std::span<const int> found;
  if (Error e = find_neighbors(comm, rank, &found)) return e;
  *degree = static_cast<int>(found.size());
  return {};
}

Error get_graph_neighbors(const Comm& comm, int rank, int room, int* neighbors) {
  std::span<const int> found;
  if (Error e = find_neighbors(comm, rank, &found)) return e;
  if (Error e = need_room("maxneighbors", room, static_cast<int>(found.size()))) return e;
  std::copy(found.begin(), found.end(), neighbors);
  return {};
}

Error get_dist_graph_degrees(const Comm& comm, int* in, int* out, int* weighted) {
  const DistGraph* graph = nullptr;
  if (Error e = find_dist_graph(comm, &graph)) return e;
  *in = static_cast<int>(graph->in.ranks.size());
  *out = static_cast<int>(graph->out.ranks.size());
  *weighted = graph->weighted;
  return {};
}

Error get_dist_graph_neighbors(const Comm& comm, const EdgesRoom& in, const EdgesRoom& out) {
  const DistGraph* graph = nullptr;
  if (Error e = find_dist_graph(comm, &graph)) return e;
  if (Error e = copy_edges(graph->in, graph->weighted, "sourceweights", in)) return e;
  return copy_edges(graph->out, graph->weighted, "destweights", out);
}

Error find_cart(const Comm& comm, const Cartesian** out) {
  return find(comm, "Cartesian topology", out);
}

int cart_dimensions(const Comm& comm) noexcept {
  const Cartesian* const grid = shape_of<Cartesian>(comm);
  return grid != nullptr ? grid->dimensions() : 0;
}

int blocks_in(const Comm& comm) noexcept {
  const topo::Topology* const topology = topo::topology_of(comm);
  return topology != nullptr ? topology->neighborhood().blocks_in : 0;
}

int blocks_out(const Comm& comm) noexcept {
  const topo::Topology* const topology = topo::topology_of(comm);
  return topology != nullptr ? topology->neighborhood().blocks_out : 0;
}

}  // namespace heddle::topo_make
