// shape.h — bounds and layout together: what the constructors of datatypes compute with.
//
// A shape whose bounds do not fit into MPI_Count is unfit: it has no layout, and every shape made
// from it is unfit, too. finish() turns that into an error, so the steps before need not check.
//
// Thread safety: values.

#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "base/error.h"
#include "mpi/datatype/datatype.h"

namespace heddle::datatype {

struct Shape {
  Bounds bounds;
  Piece layout;
};

inline Shape shape_of(const Datatype& type) {
  return {type.bounds(), type.layout()};
}

// `count` copies, each `stride` bytes after the one before.
Shape repeat(const Shape& shape, MPI_Count count, Wide stride);

Shape shift(Shape shape, Wide by);

// Sets the bounds by markers, as MPI_Type_create_resized does.
Shape resize(Shape shape, MPI_Count lower, Wide extent);

// Joins shapes one after the other in packed order, each where it lies. `displacements[i]` moves
// `shapes[i]`.
class Sequence {
 public:
  explicit Sequence(MPI_Count expected) { pieces_.reserve(static_cast<std::size_t>(expected)); }

  void add(const Shape& shape, Wide displacement);
  Shape shape() &&;

 private:
  Bounds bounds_;
  std::vector<Piece> pieces_;
};

// The new datatype, or MPI_ERR_VALUE_TOO_LARGE if the shape is unfit.
Error finish(Shape&& shape, std::span<const Part> parts, const Recipe& recipe, Datatype** out);

// Finishes a datatype whose elements are all of one type.
Error finish(Shape&& shape, Datatype& old, Recipe recipe, Datatype** out);

}  // namespace heddle::datatype
