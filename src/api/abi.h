// abi.h — what MPI and ABI this is, and Fortran's side of the ABI (MPI 5.0 §9.1.1, §19.1, §20).
//
// Fortran's wrappers set, once, the sizes of Fortran's types and its logical values
// (bindings/fortran/describe.c); in a rank without them a program may. Until then the queries say
// that nothing is known.
//
// Thread safety: any strand, any time.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/info/info.h"

namespace heddle::api {

Error get_version(int* version, int* subversion);
Error get_library_version(char* version, int* length);
Error get_abi_version(int* major, int* minor);
Error get_abi_info(info::Info** out);

// MPI_ERR_ABI when they are set a second time.
Error set_fortran_info(const info::Info* info);
Error get_fortran_info(info::Info** out);
Error set_fortran_booleans(int size, const void* true_value, const void* false_value);
Error get_fortran_booleans(int size, void* true_value, void* false_value, int* is_set);

Error status_to_fortran(const MPI_Status* from, MPI_Fint* to);
Error copy_status(const MPI_Status* from, MPI_Status* to);
Error status_from_fortran(const MPI_Fint* from, MPI_Status* to);

}  // namespace heddle::api
