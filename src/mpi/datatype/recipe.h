// recipe.h — how a derived datatype was made: what MPI_Type_get_envelope and _get_contents tell
// (MPI 5.0 §5.1.13).
//
// The standard lists for each constructor which argument goes into which array. A type made by a
// large-count call (`large`) has its counts and displacements in `counts`, any other has counts in
// `integers` and byte displacements in `addresses`.
//
// Thread safety: immutable once the type is made.

#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "mpi/object/object.h"

namespace heddle::datatype {

class Datatype;

struct Recipe {
  int combiner = MPI_COMBINER_NAMED;
  bool large = false;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<object::Ref<Datatype>> types;

  // So many counts are to come.
  void expect(std::size_t number) { large ? counts.reserve(number) : integers.reserve(number); }
  // Where a count belongs.
  void add_count(MPI_Count value) {
    if (large) {
      counts.push_back(value);
    } else {
      integers.push_back(static_cast<int>(value));
    }
  }
  // Where a displacement or stride in bytes belongs.
  void add_address(MPI_Count value) {
    if (large) {
      counts.push_back(value);
    } else {
      addresses.push_back(value);
    }
  }
};

}  // namespace heddle::datatype
