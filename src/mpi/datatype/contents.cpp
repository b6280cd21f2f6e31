// How a datatype was made, told to the program (MPI 5.0 §5.1.13).

#include <algorithm>
#include <span>

#include "mpi/datatype/query.h"

namespace heddle::datatype {

namespace {

template <class T>
MPI_Count amount(std::span<T> values) {
  return static_cast<MPI_Count>(values.size());
}

// The calls without _c cannot tell large counts.
Error check_width(bool large, const Datatype& type) {
  if (large || type.recipe().counts.empty()) return {};
  return Error::make(MPI_ERR_TYPE,
                     "argument datatype is %s, which was made with large counts; use the _c form",
                     describe(type).c_str());
}

Error check_room(const char* name, MPI_Count room, MPI_Count needed) {
  if (room >= needed) return {};
  return Error::make(MPI_ERR_ARG, "argument %s is %lld, but the datatype has %lld", name,
                     static_cast<long long>(room), static_cast<long long>(needed));
}

// The program gets a handle of its own, to be freed by it, to an equal type. A predefined type has
// one for ever.
MPI_Datatype give_out(const Datatype& type) {
  if (type.predefined()) return reinterpret_cast<MPI_Datatype>(type.handle());
  return reinterpret_cast<MPI_Datatype>(object::publish(type.clone().leak()));
}

}  // namespace

Error get_envelope(bool large, const Datatype& type, MPI_Count* integers, MPI_Count* addresses,
                   MPI_Count* large_counts, MPI_Count* datatypes, int* combiner) {
  if (Error e = check_width(large, type)) return e;
  const Recipe& recipe = type.recipe();
  *integers = amount(recipe.integers);
  *addresses = amount(recipe.addresses);
  *large_counts = amount(recipe.counts);
  *datatypes = amount(recipe.types);
  *combiner = recipe.combiner;
  return {};
}

Error get_contents(bool large, const Datatype& type, Room room, int* integers, MPI_Aint* addresses,
                   MPI_Count* large_counts, MPI_Datatype* datatypes) {
  const Recipe& recipe = type.recipe();
  if (recipe.combiner == MPI_COMBINER_NAMED) {
    return Error::make(MPI_ERR_TYPE, "argument datatype is %s, which is predefined",
                       describe(type).c_str());
  }
  if (Error e = check_width(large, type)) return e;
  if (Error e = check_room("max_integers", room.integers, amount(recipe.integers))) return e;
  if (Error e = check_room("max_addresses", room.addresses, amount(recipe.addresses))) return e;
  if (Error e = check_room("max_large_counts", room.large_counts, amount(recipe.counts))) return e;
  if (Error e = check_room("max_datatypes", room.datatypes, amount(recipe.types))) return e;
  std::copy(recipe.integers.begin(), recipe.integers.end(), integers);
  std::copy(recipe.addresses.begin(), recipe.addresses.end(), addresses);
  std::copy(recipe.counts.begin(), recipe.counts.end(), large_counts);
  for (const Datatype* each : recipe.types) *datatypes++ = give_out(*each);
  return {};
}

}  // namespace heddle::datatype
