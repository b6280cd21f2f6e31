#include "mpi/topo/dist_graph.h"

namespace heddle::topo {

Neighborhood DistGraph::neighborhood(int) const {
  Neighborhood all;
  for (const int source : in.ranks) all.sources.push_back({source, all.blocks_in++});
  for (const int destination : out.ranks) {
    all.destinations.push_back({destination, all.blocks_out++});
  }
  return all;
}

}  // namespace heddle::topo
