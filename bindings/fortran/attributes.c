// attributes.c — attributes are integers in Fortran (MPI 5.0 §19.3.7).
//
//   set in      got in C                     got in Fortran
//   ----------  ---------------------------  -----------------------------------
//   C           its pointer                  the pointer as an integer
//   Fortran     the address of the integer   the integer
//   predefined  the address of an int        the int; of a window's size the address of an MPI_Aint, and its base itself
//
// So Fortran sets the address of a cell that has the integer, and tells the library. INTEGERs of MPI-1 fill a whole
// cell, too; C's int is its low half, on little-endian processors.

#include <heddle/fortran.h>

#include "bindings/fortran/wrappers.h"

static MPI_Aint* new_cell(MPI_Aint value) {
  MPI_Aint* const cell = heddle_new_cell(sizeof *cell);
  if (cell == NULL) f_no_memory();
  *cell = value;
  return cell;
}

static void take_cell(int error, enum heddle_owner kind, void* handle, int keyval, void* cell) {
  if (error == MPI_SUCCESS) {
    heddle_fortran_attribute(kind, handle, keyval, cell);
  } else {
    heddle_free_cell(cell);
  }
}

static MPI_Aint value_of(enum heddle_owner kind, void* handle, int keyval, void* attribute) {
  if (keyval == MPI_WIN_BASE) return (MPI_Aint)attribute;
  if (keyval == MPI_WIN_SIZE) return *(MPI_Aint*)attribute;
  const int predefined = keyval >= MPI_TAG_UB && keyval <= MPI_WIN_MODEL;
  if (predefined) return *(int*)attribute;
  const int fortrans = heddle_is_fortrans(kind, handle, keyval);
  return fortrans ? *(MPI_Aint*)attribute : (MPI_Aint)attribute;
}

static int set_of_comm(int handle, int keyval, MPI_Aint value) {
  const MPI_Comm comm = F_FROM(handle);
  MPI_Aint* const cell = new_cell(value);
  const int error = F_CALL(Comm_set_attr)(comm, keyval, cell);
  take_cell(error, HEDDLE_COMM, comm, keyval, cell);
  return error;
}

static int get_of_comm(int handle, int keyval, MPI_Aint* value, int* flag) {
  const MPI_Comm comm = F_FROM(handle);
  void* attribute = NULL;
  const int error = F_CALL(Comm_get_attr)(comm, keyval, &attribute, flag);
  if (error == MPI_SUCCESS && *flag) *value = value_of(HEDDLE_COMM, comm, keyval, attribute);
  return error;
}

void F_NAME(comm_set_attr)(int* comm, int* keyval, MPI_Aint* value, int* ierror) {
  f_return(ierror, set_of_comm(*comm, *keyval, *value));
}

void F_NAME(comm_get_attr)(int* comm, int* keyval, MPI_Aint* value, int* flag, int* ierror) {
  f_return(ierror, get_of_comm(*comm, *keyval, value, flag));
}

void F_NAME(type_set_attr)(int* handle, int* keyval, MPI_Aint* value, int* ierror) {
  const MPI_Datatype type = F_FROM(*handle);
  MPI_Aint* const cell = new_cell(*value);
  const int error = F_CALL(Type_set_attr)(type, *keyval, cell);
  take_cell(error, HEDDLE_TYPE, type, *keyval, cell);
  f_return(ierror, error);
}

void F_NAME(type_get_attr)(int* handle, int* keyval, MPI_Aint* value, int* flag, int* ierror) {
  const MPI_Datatype type = F_FROM(*handle);
  void* attribute = NULL;
  const int error = F_CALL(Type_get_attr)(type, *keyval, &attribute, flag);
  if (error == MPI_SUCCESS && *flag) *value = value_of(HEDDLE_TYPE, type, *keyval, attribute);
  f_return(ierror, error);
}

void F_NAME(win_set_attr)(int* handle, int* keyval, MPI_Aint* value, int* ierror) {
  const MPI_Win window = F_FROM(*handle);
  MPI_Aint* const cell = new_cell(*value);
  const int error = F_CALL(Win_set_attr)(window, *keyval, cell);
  take_cell(error, HEDDLE_WIN, window, *keyval, cell);
  f_return(ierror, error);
}

void F_NAME(win_get_attr)(int* handle, int* keyval, MPI_Aint* value, int* flag, int* ierror) {
  const MPI_Win window = F_FROM(*handle);
  void* attribute = NULL;
  const int error = F_CALL(Win_get_attr)(window, *keyval, &attribute, flag);
  if (error == MPI_SUCCESS && *flag) *value = value_of(HEDDLE_WIN, window, *keyval, attribute);
  f_return(ierror, error);
}

void F_NAME(attr_put)(int* comm, int* keyval, int* value, int* ierror) {
  f_return(ierror, set_of_comm(*comm, *keyval, *value));
}

void F_NAME(attr_get)(int* comm, int* keyval, int* value, int* flag, int* ierror) {
  MPI_Aint whole = 0;
  const int error = get_of_comm(*comm, *keyval, &whole, flag);
  if (error == MPI_SUCCESS && *flag) *value = (int)whole;
  f_return(ierror, error);
}

F_F08(comm_set_attr)
F_F08(comm_get_attr)
F_F08(type_set_attr)
F_F08(type_get_attr)
F_F08(win_set_attr)
F_F08(win_get_attr)
