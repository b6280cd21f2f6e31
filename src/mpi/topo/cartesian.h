// cartesian.h — a grid of ranks (MPI 5.0 §8.5.1). Ranks are numbered in row-major order: the last
// coordinate changes fastest.
//
//   3 x 4: 0 1 2 3 the stride of a dimension is the distance of two ranks that are neighbours
//             4  5  6  7      in it: 4 and 1 here
//             8  9 10 11
//
// A grid without dimensions has one rank.
//
// Thread safety: immutable.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "mpi/topo/neighborhood.h"

namespace heddle::topo {

struct Dimension {
  int size;
  bool periodic;
};

class Cartesian {
 public:
  Cartesian() = default;  // without dimensions
  // All sizes are positive, and their product is an int.
  explicit Cartesian(const std::vector<Dimension>& dimensions);

  // From the arguments of MPI_Cart_create. Fails unless the sizes are positive and a grid of these
  // sizes has at most `processes` ranks.
  static Error make(int dimensions, const int* sizes, const int* periods, int processes,
                    Cartesian* out);

  int dimensions() const noexcept { return static_cast<int>(axes_.size()); }
  int size(int dimension) const noexcept { return axis(dimension).size; }
  bool periodic(int dimension) const noexcept { return axis(dimension).periodic; }
  int ranks() const noexcept { return ranks_; }

  int coordinate(int rank, int dimension) const noexcept {
    return rank / axis(dimension).stride % axis(dimension).size;
  }

  // Fails for a coordinate outside of a dimension that is not periodic.
  Error rank_at(const int* coordinates, int* rank) const;

  // The rank `steps` up (or down, if negative) in a dimension; MPI_PROC_NULL over a border.
  int neighbor(int rank, int dimension, std::int64_t steps) const noexcept;

  Neighborhood neighborhood(int rank) const;

  // The grid of those dimensions for which keep[dimension] is `kept`, and a rank's place in it.
  Cartesian part(const int* keep, bool kept) const;
  int place_in_part(int rank, const int* keep, bool kept) const noexcept;

 private:
  struct Axis {
    int size;
    bool periodic;
    int stride;
  };
  const Axis& axis(int dimension) const noexcept {
    return axes_[static_cast<std::size_t>(dimension)];
  }

  std::vector<Axis> axes_;
  int ranks_ = 1;
};

}  // namespace heddle::topo
