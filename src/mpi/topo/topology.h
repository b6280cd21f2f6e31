// topology.h — the virtual topology of a communicator, as one rank sees it (MPI 5.0 §8).
//
// A topology is a shape and, worked out once, the rank's neighbours in it. A communicator and its
// duplicates share one.
//
// Thread safety: immutable.

#pragma once

#include <variant>

#include "mpi/topo/cartesian.h"
#include "mpi/topo/dist_graph.h"
#include "mpi/topo/graph.h"

namespace heddle::topo {

class Topology {
 public:
  using Shape = std::variant<Cartesian, Graph, DistGraph>;

  // `rank` is the caller's.
  Topology(Shape shape, int rank);

  // MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH.
  int kind() const noexcept;
  // nullptr if the shape is another one.
  template <class OneShape>
  const OneShape* as() const noexcept {
    return std::get_if<OneShape>(&shape_);
  }
  const Neighborhood& neighborhood() const noexcept { return neighborhood_; }

 private:
  const Shape shape_;
  const Neighborhood neighborhood_;
};

}  // namespace heddle::topo
