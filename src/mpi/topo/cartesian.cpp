#include "mpi/topo/cartesian.h"

namespace heddle::topo {

namespace {

// The coordinate, counted round in a dimension of this size.
int wrapped(std::int64_t coordinate, int size) noexcept {
  return static_cast<int>((coordinate % size + size) % size);
}

}  // namespace

Cartesian::Cartesian(const std::vector<Dimension>& dimensions) {
  for (const Dimension& dimension : dimensions) {
    axes_.push_back({dimension.size, dimension.periodic, 0});
  }
  for (std::size_t i = axes_.size(); i-- > 0;) {
    axes_[i].stride = ranks_;
    ranks_ *= axes_[i].size;
  }
}

Error Cartesian::make(int dimensions, const int* sizes, const int* periods, int processes,
                      Cartesian* out) {
  std::vector<Dimension> grid;
  std::int64_t ranks = 1;
  for (int i = 0; i < dimensions; ++i) {
    if (sizes[i] <= 0) {
      return Error::make(MPI_ERR_DIMS, "argument dims[%d] is %d, but must be positive", i,
                         sizes[i]);
    }
    ranks *= sizes[i];
    if (ranks > processes) {
      return Error::make(MPI_ERR_DIMS,
                         "the first %d of dims ask for %lld ranks, but the communicator has %d",
                         i + 1, static_cast<long long>(ranks), processes);
    }
    grid.push_back({sizes[i], periods[i] != 0});
  }
  *out = Cartesian(grid);
  return {};
}

Error Cartesian::rank_at(const int* coordinates, int* rank) const {
  int sum = 0;
  for (int i = 0; i < dimensions(); ++i) {
    const bool inside = coordinates[i] >= 0 && coordinates[i] < size(i);
    if (!inside && !periodic(i)) {
      return Error::make(
          MPI_ERR_ARG,
          "argument coords[%d] is %d, but this dimension has coordinates 0 to %d and "
          "is not periodic",
          i, coordinates[i], size(i) - 1);
    }
    sum += wrapped(coordinates[i], size(i)) * axis(i).stride;
  }
  *rank = sum;
  return {};
}

int Cartesian::neighbor(int rank, int dimension, std::int64_t steps) const noexcept {
  const Axis& here = axis(dimension);
  const int from = coordinate(rank, dimension);
  const std::int64_t to = from + steps;
  if (!here.periodic && (to < 0 || to >= here.size)) return MPI_PROC_NULL;
  return rank + (wrapped(to, here.size) - from) * here.stride;
}

Neighborhood Cartesian::neighborhood(int rank) const {
  Neighborhood all;
  all.blocks_in = all.blocks_out = 2 * dimensions();
  const auto add = [](std::vector<Neighborhood::Edge>& edges, int neighbor, int block) {
    if (neighbor != MPI_PROC_NULL) edges.push_back({neighbor, block});
  };
  for (int i = 0; i < dimensions(); ++i) {
    const int below = neighbor(rank, i, -1), above = neighbor(rank, i, 1);
    add(all.destinations, below, 2 * i);
    add(all.destinations, above, 2 * i + 1);
    add(all.sources, above, 2 * i + 1);
    add(all.sources, below, 2 * i);
  }
  return all;
}

Cartesian Cartesian::part(const int* keep, bool kept) const {
  std::vector<Dimension> grid;
  for (int i = 0; i < dimensions(); ++i) {
    if ((keep[i] != 0) == kept) grid.push_back({size(i), periodic(i)});
  }
  return Cartesian(grid);
}

int Cartesian::place_in_part(int rank, const int* keep, bool kept) const noexcept {
  int place = 0;
  for (int i = 0; i < dimensions(); ++i) {
    if ((keep[i] != 0) == kept) place = place * size(i) + coordinate(rank, i);
  }
  return place;
}

}  // namespace heddle::topo
