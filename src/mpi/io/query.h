// query.h — what a program may ask of a file or set on it: size, view, pointers, hints, atomicity
// (MPI 5.0 §14.2.4 to §14.2.8, §14.3, §14.4.3, §14.6).
//
// Thread safety: any strand; collective calls one at a time on a file. May switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/io/file.h"

namespace heddle::io {

// Collective, all three.
Error set_size(File& file, MPI_Offset size);
Error preallocate(File& file, MPI_Offset size);
// What is written before it at any member is on the disk when it returns.
Error sync(File& file);
Error get_size(const File& file, MPI_Offset* size);

Error get_group(const File& file, group::Group** out);
Error get_mode(const File& file, int* mode);
Error get_hints(const File& file, info::Info** out);
// Collective.
Error set_hints(File& file, const info::Info* hints);

// Collective. Both pointers go to the view's begin.
Error set_view(File& file, MPI_Offset displacement, datatype::Datatype& etype,
               datatype::Datatype& filetype, const char* datarep, const info::Info* hints);
// `datarep` holds MPI_MAX_DATAREP_STRING characters.
Error get_view(const File& file, MPI_Offset* displacement, datatype::Datatype** etype,
               datatype::Datatype** filetype, char* datarep);
Error get_type_extent(const File& file, const datatype::Datatype& type, MPI_Count* extent);
Error get_byte_offset(const File& file, MPI_Offset offset, MPI_Offset* bytes);

Error seek(File& file, MPI_Offset offset, int whence);
Error get_position(const File& file, MPI_Offset* offset);
// Collective.
Error seek_shared(File& file, MPI_Offset offset, int whence);
Error get_shared_position(File& file, MPI_Offset* offset);
// Both pointers, when it is opened with MPI_MODE_APPEND.
Error seek_to_end(File& file);

// Collective.
Error set_atomicity(File& file, int flag);
Error get_atomicity(const File& file, int* flag);

}  // namespace heddle::io
