// Contiguous, vector and hvector; resized and dup.

#include <utility>

#include "mpi/datatype/make.h"
#include "mpi/datatype/shape.h"

namespace heddle::datatype {

Error make_contiguous(bool large, MPI_Count count, Datatype* old, Datatype** out) {
  Recipe recipe{.combiner = MPI_COMBINER_CONTIGUOUS, .large = large};
  recipe.add_count(count);
  return finish(repeat(shape_of(*old), count, old->extent()), *old, std::move(recipe), out);
}

namespace {

Shape vector_of(const Datatype& old, MPI_Count count, MPI_Count blocklength, Wide stride) {
  return repeat(repeat(shape_of(old), blocklength, old.extent()), count, stride);
}

}  // namespace

Error make_vector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                  Datatype* old, Datatype** out) {
  Recipe recipe{.combiner = MPI_COMBINER_VECTOR, .large = large};
  recipe.expect(3);
  for (MPI_Count value : {count, blocklength, stride}) recipe.add_count(value);
  const Wide bytes = Wide{stride} * old->extent();
  return finish(vector_of(*old, count, blocklength, bytes), *old, std::move(recipe), out);
}

Error make_hvector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                   Datatype* old, Datatype** out) {
  Recipe recipe{.combiner = MPI_COMBINER_HVECTOR, .large = large};
  recipe.expect(2);
  for (MPI_Count value : {count, blocklength}) recipe.add_count(value);
  recipe.add_address(stride);
  return finish(vector_of(*old, count, blocklength, stride), *old, std::move(recipe), out);
}

Error make_resized(bool large, Datatype* old, MPI_Count lower, MPI_Count extent, Datatype** out) {
  Recipe recipe{.combiner = MPI_COMBINER_RESIZED, .large = large};
  recipe.add_address(lower);
  recipe.add_address(extent);
  return finish(resize(shape_of(*old), lower, extent), *old, std::move(recipe), out);
}

Error make_dup(Datatype* old, Datatype** out) {
  Recipe recipe{.combiner = MPI_COMBINER_DUP};
  Datatype* made = nullptr;
  if (Error e = finish(shape_of(*old), *old, std::move(recipe), &made)) return e;
  auto dup = object::Ref<Datatype>::adopt(made);
  if (old->committed()) dup->commit();
  if (Error e = old->labels().attributes().copy_to(dup->labels().attributes(), *old)) return e;
  *out = dup.leak();
  return {};
}

}  // namespace heddle::datatype
