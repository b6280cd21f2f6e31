// Graphs that every rank gives as a whole (MPI 5.0 §8.5.3, §8.5.8).

#include "mpi/comm_make/comm_make.h"
#include "mpi/topo/of_comm.h"
#include "mpi/topo_make/topo_make.h"

namespace heddle::topo_make {

using topo::Graph;

namespace {

Error graph_in(const Comm& parent, int ranks, const int* index, const int* edges, Graph* out) {
  if (Error e = need_intra(parent)) return e;
  return Graph::make(ranks, index, edges, parent.size(), out);
}

}  // namespace

Error graph_create(Comm& parent, int ranks, const int* index, const int* edges, Comm** out) {
  Graph graph;
  if (Error e = graph_in(parent, ranks, index, edges, &graph)) return e;
  if (Error e = comm_make::create_first(parent, ranks, out)) return e;
  if (*out == nullptr) return {};
  topo::give_topology(**out, std::move(graph), (*out)->rank());
  return {};
}

Error graph_map(const Comm& parent, int ranks, const int* index, const int* edges, int* rank) {
  Graph graph;
  if (Error e = graph_in(parent, ranks, index, edges, &graph)) return e;
  *rank = parent.rank() < ranks ? parent.rank() : MPI_UNDEFINED;
  return {};
}

}  // namespace heddle::topo_make
