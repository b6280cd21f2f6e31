// graph.h — a graph that every rank knows as a whole (MPI 5.0 §8.5.3).
//
//   index   2   3   6         index[i] is how many edges the ranks 0 to i have together
//   edges   1 2|0  |0 1 1     the neighbours of rank 0, 1 and 2
//
// A rank sends to the same ranks that it receives from. That the graph is symmetric is up to the
// program.
//
// Thread safety: immutable.

#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "base/error.h"
#include "mpi/topo/neighborhood.h"

namespace heddle::topo {

class Graph {
 public:
  Graph() = default;  // without ranks

  // Makes the graph of the arguments of MPI_Graph_create. Fails unless they describe a graph of at
  // most `processes` ranks.
  static Error make(int ranks, const int* index, const int* edges, int processes, Graph* out);

  int ranks() const noexcept { return static_cast<int>(index_.size()); }
  std::span<const int> index() const noexcept { return index_; }
  std::span<const int> edges() const noexcept { return edges_; }
  std::span<const int> neighbors(int rank) const noexcept;

  Neighborhood neighborhood(int rank) const;

 private:
  std::vector<int> index_, edges_;
};

}  // namespace heddle::topo
