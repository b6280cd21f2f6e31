// keyvals.c — keyvals: C's extra state is a cell with the Fortran procedures and their own extra state.
//
// The library has the cell, and frees it when the keyval has ended. It gives these callbacks values as integers
// (heddle/fortran.h).

#include <heddle/fortran.h>

#include "bindings/fortran/predefined.h"

typedef struct {
  Procedure* copy;
  Procedure* delete;
  MPI_Aint extra;
  int extra_integer;  // MPI-1's
} Keyval;

static Keyval* new_keyval(Procedure* copy, Procedure* delete, MPI_Aint extra) {
  Keyval* keyval = heddle_new_cell(sizeof *keyval);
  if (keyval == NULL) f_no_memory();
  *keyval = (Keyval){copy, delete, extra, (int)extra};
  return keyval;
}

static void made(int* ierror, int error, int keyval, Keyval* cell) {
  if (error == MPI_SUCCESS) {
    heddle_fortran_keyval(keyval);
  } else {
    heddle_free_cell(cell);
  }
  f_return(ierror, error);
}

static int call_copy(const Keyval* cell, int handle, int keyval, void* extra, void* in, void* out,
                     int* flag) {
  MPI_Aint from = (MPI_Aint)in, to = 0;
  int error = MPI_SUCCESS;
  ((CopyAttribute*)cell->copy)(&handle, &keyval, extra, &from, &to, flag, &error);
  if (*flag) *(void**)out = (void*)to;
  return error;
}

static int call_delete(const Keyval* cell, int handle, int keyval, void* value, void* extra) {
  MPI_Aint given = (MPI_Aint)value;
  int error = MPI_SUCCESS;
  ((DeleteAttribute*)cell->delete)(&handle, &keyval, &given, extra, &error);
  return error;
}

static int copy_of_comm(MPI_Comm comm, int keyval, void* cell, void* in, void* out, int* flag) {
  return call_copy(cell, F_INT(comm), keyval, &((Keyval*)cell)->extra, in, out, flag);
}
static int delete_of_comm(MPI_Comm comm, int keyval, void* value, void* cell) {
  return call_delete(cell, F_INT(comm), keyval, value, &((Keyval*)cell)->extra);
}
static int copy_of_type(MPI_Datatype type, int keyval, void* cell, void* in, void* out, int* flag) {
  return call_copy(cell, F_INT(type), keyval, &((Keyval*)cell)->extra, in, out, flag);
}
static int delete_of_type(MPI_Datatype type, int keyval, void* value, void* cell) {
  return call_delete(cell, F_INT(type), keyval, value, &((Keyval*)cell)->extra);
}

static int delete_of_win(MPI_Win window, int keyval, void* value, void* cell) {
  return call_delete(cell, F_INT(window), keyval, value, &((Keyval*)cell)->extra);
}

static int copy_integer(MPI_Comm comm, int keyval, void* cell, void* in, void* out, int* flag) {
  Keyval* const own = cell;
  int handle = F_INT(comm), from = (int)(MPI_Aint)in, to = 0, error = MPI_SUCCESS;
  ((CopyInteger*)own->copy)(&handle, &keyval, &own->extra_integer, &from, &to, flag, &error);
  if (*flag) *(void**)out = (void*)(MPI_Aint)to;
  return error;
}
static int delete_integer(MPI_Comm comm, int keyval, void* value, void* cell) {
  Keyval* const own = cell;
  int handle = F_INT(comm), given = (int)(MPI_Aint)value, error = MPI_SUCCESS;
  ((DeleteInteger*)own->delete)(&handle, &keyval, &given, &own->extra_integer, &error);
  return error;
}

void F_NAME(comm_create_keyval)(Procedure* copy, Procedure* delete, int* keyval, MPI_Aint* extra,
                                int* ierror) {
  const int dup = copy == (Procedure*)mpi_comm_dup_fn_,
            no_copy = copy == (Procedure*)mpi_comm_null_copy_fn_;
  const int no_delete = delete == (Procedure*)mpi_comm_null_delete_fn_;
  Keyval* const cell = new_keyval(copy, delete, *extra);
  const int error = F_CALL(Comm_create_keyval)(dup       ? MPI_COMM_DUP_FN
                                               : no_copy ? MPI_COMM_NULL_COPY_FN
                                                         : copy_of_comm,
                                               no_delete ? MPI_COMM_NULL_DELETE_FN : delete_of_comm,
                                               keyval, cell);
  made(ierror, error, *keyval, cell);
}

void F_NAME(type_create_keyval)(Procedure* copy, Procedure* delete, int* keyval, MPI_Aint* extra,
                                int* ierror) {
  const int dup = copy == (Procedure*)mpi_type_dup_fn_,
            no_copy = copy == (Procedure*)mpi_type_null_copy_fn_;
  const int no_delete = delete == (Procedure*)mpi_type_null_delete_fn_;
  Keyval* const cell = new_keyval(copy, delete, *extra);
  const int error = F_CALL(Type_create_keyval)(dup       ? MPI_TYPE_DUP_FN
                                               : no_copy ? MPI_TYPE_NULL_COPY_FN
                                                         : copy_of_type,
                                               no_delete ? MPI_TYPE_NULL_DELETE_FN : delete_of_type,
                                               keyval, cell);
  made(ierror, error, *keyval, cell);
}

void F_NAME(win_create_keyval)(Procedure* copy, Procedure* delete, int* keyval, MPI_Aint* extra,
                               int* ierror) {
  const int no_delete = delete == (Procedure*)mpi_win_null_delete_fn_;
  Keyval* const cell = new_keyval(copy, delete, *extra);
  // No window is duplicated, so no attribute is copied.
  const int error = F_CALL(Win_create_keyval)(
      MPI_WIN_NULL_COPY_FN, no_delete ? MPI_WIN_NULL_DELETE_FN : delete_of_win, keyval, cell);
  made(ierror, error, *keyval, cell);
}

void F_NAME(keyval_create)(Procedure* copy, Procedure* delete, int* keyval, int* extra,
                           int* ierror) {
  const int dup = copy == (Procedure*)mpi_dup_fn_, no_copy = copy == (Procedure*)mpi_null_copy_fn_;
  const int no_delete = delete == (Procedure*)mpi_null_delete_fn_;
  Keyval* const cell = new_keyval(copy, delete, *extra);
  const int error = F_CALL(Comm_create_keyval)(dup       ? MPI_COMM_DUP_FN
                                               : no_copy ? MPI_COMM_NULL_COPY_FN
                                                         : copy_integer,
                                               no_delete ? MPI_COMM_NULL_DELETE_FN : delete_integer,
                                               keyval, cell);
  made(ierror, error, *keyval, cell);
}

F_F08(comm_create_keyval)
F_F08(type_create_keyval)
F_F08(win_create_keyval)
