// external32.h — the packed form that all machines read, "external32" (MPI 5.0 §14.5.2).
//
// Elements stand one after the other without padding, most significant byte first. Their sizes are
// the standard's, which are ours with these exceptions:
//
//   type                         here            external32
//   --------------------------   -------------   -----------------------------------
//   MPI_LONG, MPI_UNSIGNED_LONG  8 bytes         4 bytes
//   MPI_WCHAR                    4 bytes         2 bytes
//   MPI_LONG_DOUBLE, its complex 80 of 128 bits  IEEE binary128, also 16 bytes
//
// A value that does not fit into fewer bytes is an error, MPI_ERR_VALUE_TOO_LARGE.
//
// Thread safety: any strand.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/datatype/buffer.h"

namespace heddle::datatype {

// Bytes of one element of `type` in external32, never more than type.size().
MPI_Count external32_size(const Datatype& type);

// Writes from.count * external32_size() bytes to `out`.
Error encode_external32(ConstBuffer from, void* out);
// Reads as many bytes from `in`.
void decode_external32(const void* in, Buffer to);

}  // namespace heddle::datatype
