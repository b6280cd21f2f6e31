// predefined.c — see predefined.h.

#include "bindings/fortran/predefined.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define COPY_NOTHING(name, Value)                                                     \
  void name(int* handle, int* keyval, Value* extra, Value* in, Value* out, int* flag, \
            int* ierror) {                                                            \
    *flag = 0;                                                                        \
    *ierror = MPI_SUCCESS;                                                            \
  }
#define COPY_VALUE(name, Value)                                                       \
  void name(int* handle, int* keyval, Value* extra, Value* in, Value* out, int* flag, \
            int* ierror) {                                                            \
    *out = *in;                                                                       \
    *flag = 1;                                                                        \
    *ierror = MPI_SUCCESS;                                                            \
  }
#define DELETE_NOTHING(name, Value)                                              \
  void name(int* handle, int* keyval, Value* value, Value* extra, int* ierror) { \
    *ierror = MPI_SUCCESS;                                                       \
  }

COPY_NOTHING(mpi_comm_null_copy_fn_, MPI_Aint)
COPY_NOTHING(mpi_type_null_copy_fn_, MPI_Aint)
COPY_NOTHING(mpi_win_null_copy_fn_, MPI_Aint)
COPY_NOTHING(mpi_null_copy_fn_, int)
COPY_VALUE(mpi_comm_dup_fn_, MPI_Aint)
COPY_VALUE(mpi_type_dup_fn_, MPI_Aint)
COPY_VALUE(mpi_win_dup_fn_, MPI_Aint)
COPY_VALUE(mpi_dup_fn_, int)
DELETE_NOTHING(mpi_comm_null_delete_fn_, MPI_Aint)
DELETE_NOTHING(mpi_type_null_delete_fn_, MPI_Aint)
DELETE_NOTHING(mpi_win_null_delete_fn_, MPI_Aint)
DELETE_NOTHING(mpi_null_delete_fn_, int)

void mpi_conversion_fn_null_(void) {}
void mpi_conversion_fn_null_c_(void) {}
