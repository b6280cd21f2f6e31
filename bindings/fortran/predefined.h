// predefined.h — the standard's attribute callbacks, which are procedures in Fortran.
//
// A wrapper finds them by their address in its image, and passes C's constants in their place.

#pragma once

#include "bindings/fortran/wrappers.h"

typedef void Procedure(void);
typedef void CopyAttribute(int* handle, int* keyval, MPI_Aint* extra, MPI_Aint* in, MPI_Aint* out,
                           int* flag, int* ierror);
typedef void DeleteAttribute(int* handle, int* keyval, MPI_Aint* value, MPI_Aint* extra,
                             int* ierror);

// MPI-1's, whose attributes are INTEGERs.
typedef void CopyInteger(int* handle, int* keyval, int* extra, int* in, int* out, int* flag,
                         int* ierror);
typedef void DeleteInteger(int* handle, int* keyval, int* value, int* extra, int* ierror);

CopyAttribute mpi_comm_null_copy_fn_, mpi_comm_dup_fn_, mpi_type_null_copy_fn_, mpi_type_dup_fn_,
    mpi_win_null_copy_fn_, mpi_win_dup_fn_;
DeleteAttribute mpi_comm_null_delete_fn_, mpi_type_null_delete_fn_, mpi_win_null_delete_fn_;
CopyInteger mpi_null_copy_fn_, mpi_dup_fn_;
DeleteInteger mpi_null_delete_fn_;
Procedure mpi_conversion_fn_null_, mpi_conversion_fn_null_c_;
