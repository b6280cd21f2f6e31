#include "mpi/datatype/shape.h"

#include <utility>

#include "mpi/lifetime/making.h"

namespace heddle::datatype {

Shape repeat(const Shape& shape, MPI_Count count, Wide stride) {
  Shape all{repeated(shape.bounds, count, stride), {}};
  // A single copy has no stride; that of many fits, because they lie within fitting bounds.
  if (all.bounds.fits && all.bounds.size != 0) {
    all.layout = repeat(shape.layout, count, count == 1 ? 0 : static_cast<MPI_Count>(stride));
  }
  return all;
}

Shape shift(Shape shape, Wide by) {
  shape.bounds = shifted(shape.bounds, by);
  if (shape.bounds.fits && shape.bounds.size != 0) {
    shape.layout.offset += static_cast<MPI_Count>(by);
  }
  return shape;
}

Shape resize(Shape shape, MPI_Count lower, Wide extent) {
  shape.bounds = marked(shape.bounds, lower, extent);
  return shape;
}

void Sequence::add(const Shape& shape, Wide displacement) {
  Shape moved = shift(shape, displacement);
  bounds_ = joined(bounds_, moved.bounds);
  if (bounds_.fits && moved.layout.bytes != 0) pieces_.push_back(std::move(moved.layout));
}

Shape Sequence::shape() && {
  if (!bounds_.fits) return {bounds_, {}};
  return {bounds_, sequence(std::move(pieces_))};
}

Error finish(Shape&& shape, std::span<const Part> parts, const Recipe& recipe, Datatype** out) {
  if (!shape.bounds.fits) {
    return Error::make(MPI_ERR_VALUE_TOO_LARGE,
                       "the new datatype would be larger than MPI_Count can tell");
  }
  const lifetime::Making making;
  *out = Datatype::make(shape.bounds, std::move(shape.layout), parts, recipe);
  return {};
}

Error finish(Shape&& shape, Datatype& old, Recipe recipe, Datatype** out) {
  Datatype* const types[] = {&old};
  recipe.types = types;
  if (shape.bounds.size == 0) return finish(std::move(shape), {}, recipe, out);
  const Part parts[] = {{&old, shape.bounds.size / old.size()}};
  return finish(std::move(shape), parts, recipe, out);
}

}  // namespace heddle::datatype
