// recipe.h — how a derived datatype was made: what MPI_Type_get_envelope and _get_contents tell
// (MPI 5.0 §5.1.13).
//
// The standard lists for each constructor which argument goes into which array. A type made by a
// large-count call (`large`) has its counts and displacements in `counts`, any other has counts in
// `integers` and byte displacements in `addresses`.
//
// Thread safety: a plain value over the arrays of a constructor, or of the type that has copied
// them (Datatype::make).

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

namespace heddle::datatype {

class Datatype;

struct Recipe {
  int combiner = MPI_COMBINER_NAMED;
  std::span<const MPI_Count> integers{}, addresses{}, counts{};
  std::span<Datatype* const> types{};
};

// `values` has the arguments in their order: counts, then `addresses` displacements or strides in
// bytes.
inline Recipe recipe_of(int combiner, bool large, std::span<const MPI_Count> values,
                        MPI_Count addresses = 0) {
  if (large) return {.combiner = combiner, .counts = values};
  const std::size_t integers = values.size() - static_cast<std::size_t>(addresses);
  return {.combiner = combiner,
          .integers = values.first(integers),
          .addresses = values.subspan(integers)};
}

}  // namespace heddle::datatype
