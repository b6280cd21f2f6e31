// packing.h — MPI_Pack and its family (MPI 5.0 §5.2): the packed form, in a buffer of the program.
//
// Thread safety: any strand.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/datatype/buffer.h"

namespace heddle::datatype {

// Packs all of `from` to out + *position and moves the position. `room`: bytes of `out`.
Error pack_at(ConstBuffer from, void* out, MPI_Count room, MPI_Count* position);

// Unpacks all of `to` from in + *position and moves the position. `bytes`: those of `in`.
Error unpack_at(const void* in, MPI_Count bytes, MPI_Count* position, Buffer to);

Error pack_size(MPI_Count count, const Datatype& type, MPI_Count* size);

// Pack, unpack and measure in a form for other machines (external32.h), whose name `form` must be
// "external32". `position` is unchanged after an error.
Error pack_external_at(const char* form, ConstBuffer from, void* out, MPI_Count room,
                       MPI_Count* position);
Error unpack_external_at(const char* form, const void* in, MPI_Count bytes, MPI_Count* position,
                         Buffer to);
Error pack_external_size(const char* form, MPI_Count count, const Datatype& type, MPI_Count* size);

}  // namespace heddle::datatype
