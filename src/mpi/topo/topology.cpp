#include "mpi/topo/topology.h"

namespace heddle::topo {

namespace {

Neighborhood neighborhood_in(const Topology::Shape& shape, int rank) {
  return std::visit([rank](const auto& one) { return one.neighborhood(rank); }, shape);
}

}  // namespace

Topology::Topology(Shape shape, int rank)
    : shape_(std::move(shape)), neighborhood_(neighborhood_in(shape_, rank)) {}

int Topology::kind() const noexcept {
  if (as<Cartesian>() != nullptr) return MPI_CART;
  return as<Graph>() != nullptr ? MPI_GRAPH : MPI_DIST_GRAPH;
}

}  // namespace heddle::topo
