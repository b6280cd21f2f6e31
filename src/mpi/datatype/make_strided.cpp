// Contiguous, vector and hvector; resized and dup.

#include "mpi/datatype/make.h"
#include "mpi/datatype/shape.h"

namespace heddle::datatype {

Error make_contiguous(bool large, MPI_Count count, Datatype* old, Datatype** out) {
  const MPI_Count values[] = {count};
  const Recipe recipe = recipe_of(MPI_COMBINER_CONTIGUOUS, large, values);
  return finish(repeat(shape_of(*old), count, old->extent()), *old, recipe, out);
}

namespace {

Shape vector_of(const Datatype& old, MPI_Count count, MPI_Count blocklength, Wide stride) {
  return repeat(repeat(shape_of(old), blocklength, old.extent()), count, stride);
}

}  // namespace

Error make_vector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                  Datatype* old, Datatype** out) {
  const MPI_Count values[] = {count, blocklength, stride};
  const Recipe recipe = recipe_of(MPI_COMBINER_VECTOR, large, values);
  const Wide bytes = Wide{stride} * old->extent();
  return finish(vector_of(*old, count, blocklength, bytes), *old, recipe, out);
}

Error make_hvector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                   Datatype* old, Datatype** out) {
  const MPI_Count values[] = {count, blocklength, stride};
  const Recipe recipe = recipe_of(MPI_COMBINER_HVECTOR, large, values, 1);
  return finish(vector_of(*old, count, blocklength, stride), *old, recipe, out);
}

Error make_resized(bool large, Datatype* old, MPI_Count lower, MPI_Count extent, Datatype** out) {
  const MPI_Count values[] = {lower, extent};
  const Recipe recipe = recipe_of(MPI_COMBINER_RESIZED, large, values, 2);
  return finish(resize(shape_of(*old), lower, extent), *old, recipe, out);
}

Error make_dup(Datatype* old, Datatype** out) {
  Datatype* made = nullptr;
  if (Error e = finish(shape_of(*old), *old, {.combiner = MPI_COMBINER_DUP}, &made)) return e;
  auto dup = object::Ref<Datatype>::adopt(made);
  if (old->committed()) dup->commit();
  if (Error e = old->labels().attributes().copy_to(dup->labels().attributes(), *old)) return e;
  *out = dup.leak();
  return {};
}

}  // namespace heddle::datatype
