// neighborhood.h — the neighbours of one rank, as neighborhood collectives see them (MPI 5.0 §8.6).
//
// The send buffer has a block for each outgoing edge, the receive buffer one for each incoming
// edge. Two ranks may have several edges between them. Their messages have the same tag, so the
// order of receives decides which message goes to which block:
//
//   topology        messages to a rank leave     messages of a rank arrive
//   --------------  ---------------------------  ----------------------------------------------
//   graph, dist     in the order of blocks       in the order of blocks
//   Cartesian       dimension by dimension,      dimension by dimension, first the block of the
//                   first down, then up          upper neighbour: it has sent down first
//
// The second rule counts where a periodic dimension has size 1 or 2: there both neighbours are one
// rank.
//
// Thread safety: a value.

#pragma once

#include <vector>

namespace heddle::topo {

struct Neighborhood {
  struct Edge {
    int rank;   // of the neighbour
    int block;  // of the buffer
  };
  // These are only edges that lead to a rank: over the border of a grid there is a block, but no
  // edge.
  std::vector<Edge> sources;       // in the order in which their messages arrive
  std::vector<Edge> destinations;  // in the order in which their messages leave
  int blocks_in = 0;
  int blocks_out = 0;
};

}  // namespace heddle::topo
