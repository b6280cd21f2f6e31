// dist_graph.h — a graph of which each rank knows its own edges only (MPI 5.0 §8.5.4).
//
// Thread safety: immutable, once the communicator has it.

#pragma once

#include <vector>

#include "mpi/topo/neighborhood.h"

namespace heddle::topo {

struct DistGraph {
  // The edges of the rank in one direction. In a graph without weights there are none.
  struct Edges {
    std::vector<int> ranks;
    std::vector<int> weights;
  };
  Edges in, out;
  bool weighted = false;

  Neighborhood neighborhood(int rank) const;
};

}  // namespace heddle::topo
