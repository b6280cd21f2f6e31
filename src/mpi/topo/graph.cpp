#include "mpi/topo/graph.h"

namespace heddle::topo {

Error Graph::make(int ranks, const int* index, const int* edges, int processes, Graph* out) {
  if (ranks > processes) {
    return Error::make(MPI_ERR_TOPOLOGY, "argument nnodes is %d, but the communicator has %d ranks",
                       ranks, processes);
  }
  int total = 0;
  for (int i = 0; i < ranks; ++i) {
    if (index[i] < total) {
      return Error::make(MPI_ERR_TOPOLOGY, "argument index[%d] is %d, but must be at least %d", i,
                         index[i], total);
    }
    total = index[i];
  }
  for (int i = 0; i < total; ++i) {
    if (edges[i] < 0 || edges[i] >= ranks) {
      return Error::make(MPI_ERR_TOPOLOGY,
                         "argument edges[%d] is %d, but the graph has ranks 0 to %d", i, edges[i],
                         ranks - 1);
    }
  }
  out->index_.assign(index, index + ranks);
  out->edges_.assign(edges, edges + total);
  return {};
}

std::span<const int> Graph::neighbors(int rank) const noexcept {
  const auto at = static_cast<std::size_t>(rank);
  const int begin = rank == 0 ? 0 : index_[at - 1];
  return edges().subspan(static_cast<std::size_t>(begin),
                         static_cast<std::size_t>(index_[at] - begin));
}

Neighborhood Graph::neighborhood(int rank) const {
  Neighborhood all;
  for (const int neighbor : neighbors(rank)) {
    all.destinations.push_back({neighbor, all.blocks_out++});
  }
  all.sources = all.destinations;
  all.blocks_in = all.blocks_out;
  return all;
}

}  // namespace heddle::topo
