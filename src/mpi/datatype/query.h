// query.h — the functions that ask a datatype something or change its handle (MPI 5.0 §5.1.5 to
// §5.1.9, §5.1.13, §7.8).
//
// Thread safety: any strand of the rank. Functions that call attribute callbacks may switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/datatype/datatype.h"

namespace heddle::datatype {

// MPI_Type_commit and MPI_Type_free.
Error commit(const MPI_Datatype* handle);
Error free(MPI_Datatype* handle);

Error get_size(const Datatype& type, MPI_Count* size);
Error get_extent(const Datatype& type, MPI_Count* lower, MPI_Count* extent);
Error get_true_extent(const Datatype& type, MPI_Count* lower, MPI_Count* extent);

Error get_name(const Datatype* type, char* name, int* length);
Error set_name(const Datatype& type, const char* name);

Error get_envelope(bool large, const Datatype& type, MPI_Count* integers, MPI_Count* addresses,
                   MPI_Count* large_counts, MPI_Count* datatypes, int* combiner);

// Room for the arrays of MPI_Type_get_contents.
struct Room {
  MPI_Count integers, addresses, large_counts, datatypes;
};
Error get_contents(bool large, const Datatype& type, Room room, int* integers, MPI_Aint* addresses,
                   MPI_Count* large_counts, MPI_Datatype* datatypes);

// Gives the named type that pairs the two; null if there is none.
Error get_value_index(const Datatype& value, const Datatype& index, Datatype** pair);
// The Fortran type of a class that has `size` bytes.
Error match_size(int type_class, int size, Datatype** out);

Error get_address(const void* location, MPI_Aint* address);
MPI_Aint add_address(MPI_Aint base, MPI_Aint displacement) noexcept;
MPI_Aint subtract_address(MPI_Aint a, MPI_Aint b) noexcept;

Error get_attribute(const Datatype& type, int keyval, void* value, int* flag);
Error put_attribute(const Datatype& type, int keyval, void* value);
Error delete_attribute(const Datatype& type, int keyval);

}  // namespace heddle::datatype
