#include "mpi/datatype/elements.h"

#include <algorithm>

namespace heddle::datatype {

namespace {

// A named type: one element, or a pair of two.
MPI_Count elements_of_named(MPI_Count bytes, const Datatype& type) noexcept {
  const MPI_Count first = type.size() - type.second_size();
  if (bytes == 0) return 0;
  return bytes == first ? 1 : MPI_UNDEFINED;  // fewer bytes than the whole
}

}  // namespace

MPI_Count whole_elements(MPI_Count bytes, const Datatype& type) noexcept {
  if (type.size() == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  return bytes % type.size() == 0 ? bytes / type.size() : MPI_UNDEFINED;
}

MPI_Count basic_elements(MPI_Count bytes, const Datatype& type) noexcept {
  if (type.size() == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  MPI_Count count = bytes / type.size() * type.elements();
  MPI_Count rest = bytes % type.size();
  // Each round goes into the part in which the bytes end, so the depth is that of the type.
  const Datatype* inner = &type;
  while (rest != 0 && !inner->parts().empty()) {
    auto part = inner->parts().begin();
    for (; rest >= part->type->size() * part->repeat; ++part) {
      rest -= part->type->size() * part->repeat;
      count += part->type->elements() * part->repeat;
    }
    inner = part->type;
    count += rest / inner->size() * inner->elements();
    rest %= inner->size();
  }
  if (rest == 0) return count;
  const MPI_Count last = elements_of_named(rest, *inner);
  return last == MPI_UNDEFINED ? MPI_UNDEFINED : count + last;
}

MPI_Count bytes_of_elements(MPI_Count elements, const Datatype& type) noexcept {
  if (type.elements() == 0) return 0;
  MPI_Count bytes = elements / type.elements() * type.size();
  MPI_Count rest = elements % type.elements();
  const Datatype* inner = &type;
  while (rest != 0 && !inner->parts().empty()) {
    auto part = inner->parts().begin();
    for (; rest >= part->type->elements() * part->repeat; ++part) {
      rest -= part->type->elements() * part->repeat;
      bytes += part->type->size() * part->repeat;
    }
    inner = part->type;
    bytes += rest / inner->elements() * inner->size();
    rest %= inner->elements();
  }
  return rest == 0 ? bytes : bytes + inner->size() - inner->second_size();
}

}  // namespace heddle::datatype
